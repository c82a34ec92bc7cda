export const values = `
.tabbed { flex: 1; min-block-size: 0; display: flex; flex-direction: column; }
.tabs { display: flex; flex-wrap: wrap; gap: 0 2px; padding-inline: 8px; border-block-end: 1px solid var(--_line); flex: none; }
.tab { flex: none; padding-inline: 6px; border: 0; border-block-end: 2px solid transparent; border-radius: 0; background: none; color: var(--_dim); min-block-size: 32px; }
.tab[aria-selected='true'] { color: var(--_text); border-block-end-color: var(--_accent); }
.tab-panel { flex: 1; min-block-size: 0; overflow: auto; padding: 8px 10px 16px; }
.tree { font: 12px/20px var(--_mono); }
.tree-row {
  position: relative;
  padding-inline-start: calc(min(var(--_level), 30) * 14px + 16px);
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: pre;
  border-radius: 3px;
}
.tree-row:not([aria-expanded]) { white-space: pre-wrap; overflow-wrap: anywhere; }
.tree-row:hover { background: var(--_hover); }
.tree-row[aria-expanded] { cursor: pointer; }
.twisty { display: inline-block; inline-size: 14px; margin-inline-start: -16px; margin-inline-end: 2px; }
[aria-expanded] > .twisty::before { content: '▸'; color: var(--_dim); }
[aria-expanded='true'] > .twisty::before { content: '▾'; }
.tree-key { color: var(--_key); }
.tree-name, .preview, .size { color: var(--_dim); }
.size { font-size: 11px; }
.value.text { color: var(--_value-text); }
.value.number { color: var(--_value-number); }
.value.word { color: var(--_value-word); }
.value.special { color: var(--_value-special); }
.value.container { color: var(--_text); }
.long-text { white-space: pre-wrap; overflow-wrap: anywhere; cursor: text; user-select: text; }
.tree .long-text { margin-block: 2px 4px; padding: 4px 8px; border-inline-start: 2px solid var(--_line); color: var(--_value-text); max-block-size: 40em; overflow: auto; }
.compare { display: flex; flex-wrap: wrap; align-items: center; gap: 6px; margin-block-end: 8px; }
.compare input { inline-size: 6em; }
.changes, .entries { list-style: none; margin: 0; padding: 0; gap: 10px; }
.changes, .entries, .compared, .entry-value, .change { display: grid; grid-template-columns: minmax(0, 1fr); }
.compared { gap: 8px; }
.change-path { font: 12px/20px var(--_mono); overflow-wrap: anywhere; }
.sign { display: inline-block; inline-size: 1.2em; font-weight: 700; color: var(--_dim); }
.added > .change-path .sign { color: var(--_good); }
.removed > .change-path .sign { color: var(--_danger); }
.side { padding: 2px 6px; border-radius: 4px; min-inline-size: 0; }
.side.added { background: var(--_added); }
.side.removed { background: var(--_removed); }
.side.text { font: 12px/20px var(--_mono); white-space: pre-wrap; overflow-wrap: anywhere; background: var(--_panel); }
.side .long-text, .side.text .long-text { display: inline; }
ins, del { border-radius: 3px; text-decoration-thickness: 1px; text-underline-offset: 3px; }
ins { background: var(--_added-mark); }
del { background: var(--_removed-mark); }
.block { margin-block-end: 16px; }
.block .empty { padding: 0; }
.entry { padding: 6px 8px; background: var(--_panel); border-radius: 6px; min-inline-size: 0; }
.entry-head { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 8px; overflow-wrap: anywhere; }
.entry-value { margin-block-start: 4px; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 3px 14px; margin: 0 0 14px; }
.facts dt { color: var(--_dim); }
.facts dd { margin: 0; font: 12px/19px var(--_mono); overflow-wrap: anywhere; white-space: pre-wrap; }
`
