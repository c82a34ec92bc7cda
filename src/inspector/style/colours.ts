/**
 * Those named `--forkpoint-…` are for the app to set; all follow the colour scheme of where the element stands.
 * The others begin as no app's names do: else what an app says of `--line` would be said of ours.
 */
export const colours = `
:host {
  color-scheme: light dark;
  --_bg: var(--forkpoint-background, light-dark(#ffffff, #15171c));
  --_panel: var(--forkpoint-panel, light-dark(#f6f7f9, #1b1e24));
  --_text: var(--forkpoint-text, light-dark(#1b1f27, #e4e7ee));
  --_dim: var(--forkpoint-dim, light-dark(#566072, #9ca5b5));
  --_line: var(--forkpoint-line, light-dark(#dfe3ea, #2d323c));
  --_accent: var(--forkpoint-accent, light-dark(#2b57d0, #93b3ff));
  --_on-accent: var(--forkpoint-on-accent, light-dark(#ffffff, #10131a));
  --_chosen: var(--forkpoint-chosen, light-dark(#e4ecff, #26345a));
  --_hover: light-dark(#eef1f6, #22262e);
  --_danger: light-dark(#b3261e, #ff9c94);
  --_warn: light-dark(#fff0cc, #4a3a12);
  --_on-warn: light-dark(#6b4700, #ffd98a);
  --_good: light-dark(#0b6b3c, #86d6a3);
  --_value-text: light-dark(#0b6b3c, #8fd6a8);
  --_value-number: light-dark(#1d4fbb, #9dbcff);
  --_value-word: light-dark(#8436a3, #d8a8f0);
  --_value-special: light-dark(#8f4700, #f0b878);
  --_key: light-dark(#87224f, #eba6c4);
  --_added: light-dark(#e6f6ea, #14291c);
  --_added-mark: light-dark(#b5e8c4, #245c39);
  --_removed: light-dark(#fdecec, #311a1c);
  --_removed-mark: light-dark(#f7c6c6, #713034);
  --_mono: var(--forkpoint-mono, ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace);
  --_lane-0: light-dark(#2b57d0, #8fb0ff);
  --_lane-1: light-dark(#b3541e, #f0a272);
  --_lane-2: light-dark(#12805c, #5fcfa5);
  --_lane-3: light-dark(#8436a3, #d7a6f0);
  --_lane-4: light-dark(#937015, #e2c060);
  --_lane-5: light-dark(#c2366b, #f58fb5);
}
`
