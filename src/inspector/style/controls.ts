export const controls = `
button, input, select, textarea {
  font: inherit;
  color: inherit;
  background: var(--_bg);
  border: 1px solid var(--_line);
  border-radius: 5px;
  min-block-size: 26px;
  padding: 1px 9px;
}
button { cursor: pointer; white-space: nowrap; }
button:hover:not(:disabled) { background: var(--_hover); }
button[aria-pressed='true'] { background: var(--_chosen); border-color: var(--_accent); }
button:disabled { color: var(--_dim); cursor: default; }
button.primary { background: var(--_accent); border-color: var(--_accent); color: var(--_on-accent); font-weight: 600; }
button.primary:hover:not(:disabled) { background: var(--_accent); filter: brightness(1.08); }
button.primary:disabled { background: var(--_line); border-color: var(--_line); color: var(--_dim); }
button.danger { color: var(--_danger); }
button.primary.danger { background: var(--_danger); border-color: var(--_danger); color: var(--_on-accent); }
button.primary.danger:disabled { background: var(--_line); border-color: var(--_line); color: var(--_dim); }
button.quiet { border-color: transparent; background: none; color: var(--_accent); padding-inline: 4px; min-block-size: 22px; }
input, select, textarea { min-inline-size: 0; border-color: light-dark(#8a93a3, #5a6372); }
input[type='checkbox'] { accent-color: var(--_accent); min-block-size: 0; margin: 0; }
::placeholder { color: var(--_dim); opacity: 1; }
:focus-visible { outline: 2px solid var(--_accent); outline-offset: -2px; }
button:focus-visible, input:focus-visible { outline-offset: 1px; }
.badge {
  flex: none;
  padding: 0 6px;
  border: 1px solid var(--_line);
  border-radius: 9px;
  font-size: 11px;
  line-height: 16px;
  color: var(--_dim);
  background: var(--_bg);
  max-inline-size: 14em;
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: nowrap;
}
.badge.head, .badge.run-running, .badge.base { color: var(--_accent); border-color: currentColor; }
.badge.label { color: var(--_value-special); }
.badge.kept, .badge.run-finished, .badge.step-done { color: var(--_good); border-color: currentColor; }
.badge.run-failed, .badge.run-orphaned, .badge.step-failed { color: var(--_danger); border-color: currentColor; }
.badge.run-waiting, .badge.step-waiting { color: var(--_on-warn); background: var(--_warn); border-color: transparent; }
.odd { padding: 0 2px; margin: 0 1px; border-radius: 3px; font: 10px/1.3 var(--_mono); color: var(--_on-warn); background: var(--_warn); }
dialog {
  inline-size: min(36rem, calc(100vw - 24px));
  max-block-size: calc(100dvh - 24px);
  padding: 16px;
  color: var(--_text);
  background: var(--_bg);
  border: 1px solid var(--_line);
  border-radius: 10px;
  box-shadow: 0 12px 40px rgb(0 0 0 / 0.3);
  overflow: auto;
}
dialog::backdrop { background: rgb(0 0 0 / 0.35); }
dialog h2 { font-size: 15px; white-space: normal; margin-block-end: 12px; }
.dialog-body { display: grid; gap: 10px; overflow-wrap: anywhere; }
.dialog-acts { display: flex; justify-content: flex-end; gap: 8px; margin-block-start: 14px; }
.field { display: grid; grid-template-columns: 11em minmax(0, 1fr); gap: 2px 10px; align-items: center; }
.field > .less { grid-column: 2; font-size: 12px; }
.field.check { grid-template-columns: auto 1fr; justify-items: start; }
.field > textarea, .field > div { grid-column: 1 / -1; }
textarea.json { font: 12px/1.5 var(--_mono); resize: vertical; tab-size: 2; padding: 8px; }
.field > textarea + .less { grid-column: 1 / -1; }
[aria-invalid='true'] { border-color: var(--_danger); }
.plan { min-block-size: 4.4em; padding: 8px 10px; background: var(--_panel); border-radius: 6px; }
.progress, dialog .error { min-block-size: 1.45em; margin-block-start: 8px; font-variant-numeric: tabular-nums; }
dialog .error:empty, .progress:empty { min-block-size: 0; margin: 0; }
.names { margin: 0; padding-inline-start: 18px; max-block-size: 12em; overflow: auto; }
@container (max-width: 719px) {
  button, input, select { min-block-size: 32px; }
  .field:not(.check) { grid-template-columns: minmax(0, 1fr); }
  .field > .less { grid-column: 1; }
}
`
