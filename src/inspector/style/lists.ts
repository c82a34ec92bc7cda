export const lists = `
.virtual { flex: 1; min-block-size: 0; overflow: auto; overflow-x: hidden; contain: strict; position: relative; }
.rows { position: relative; }
.row {
  position: absolute;
  inset: 0 0 auto;
  display: flex;
  align-items: center;
  gap: 8px;
  padding-inline: 4px 10px;
  overflow: hidden;
  white-space: nowrap;
  cursor: default;
}
.row:hover { background: var(--_hover); }
.row[aria-selected='true'] { background: var(--_chosen); }
.virtual:focus-visible .row.active { outline: 2px solid var(--_accent); outline-offset: -2px; border-radius: 4px; }
.virtual:focus-visible { outline: none; }
.row-title { flex: 1; min-inline-size: 0; overflow: hidden; text-overflow: ellipsis; }
.threads .row { flex-direction: column; align-items: stretch; justify-content: center; gap: 0; padding-inline: 10px; border-block-end: 1px solid var(--_line); }
.row-line { display: flex; align-items: center; gap: 6px; min-inline-size: 0; }
.row-line.less { font-size: 12px; }
.row time { flex: none; font-size: 12px; }
.fork-sign { flex: none; color: var(--_dim); line-height: 0; }
.fork-sign .edge { stroke-width: 1.5; }
.share { flex: none; inline-size: 36px; block-size: 4px; border-radius: 2px; background: var(--_line); overflow: hidden; }
.share-fill { background: var(--_dim); }
.seq { flex: none; min-inline-size: 3ch; text-align: end; font: 12px var(--_mono); color: var(--_dim); }
.row[aria-selected='true'] :is(.seq, time, .less) { color: var(--_text); }
.lanes { flex: none; overflow: visible; max-inline-size: 45%; }
.edge { fill: none; stroke: currentColor; stroke-width: 2; }
.edge.gone { stroke-dasharray: 2 3; }
.node { fill: var(--_bg); stroke: currentColor; stroke-width: 2; }
.node.head { fill: currentColor; }
.node.other { fill: currentColor; stroke: none; }
.base { fill: none; stroke: var(--_text); stroke-width: 1.5; stroke-dasharray: 3 2; }
.lane-0 { color: var(--_lane-0); } .lane-1 { color: var(--_lane-1); } .lane-2 { color: var(--_lane-2); }
.lane-3 { color: var(--_lane-3); } .lane-4 { color: var(--_lane-4); } .lane-5 { color: var(--_lane-5); }
.link { color: var(--_accent); }
.row.other { cursor: pointer; }
`
