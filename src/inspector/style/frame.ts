export const frame = `
:host {
  display: block;
  block-size: 42rem;
  min-block-size: 20rem;
  container-type: inline-size;
  font: 13px/1.45 var(--forkpoint-font, system-ui, sans-serif);
  color: var(--_text);
  text-align: start;
}
:host([hidden]), [hidden] { display: none !important; }
* { box-sizing: border-box; }
.app {
  position: relative;
  block-size: 100%;
  display: flex;
  flex-direction: column;
  overflow: hidden;
  background: var(--_bg);
  border: 1px solid var(--_line);
  border-radius: var(--forkpoint-radius, 8px);
}
.top {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 6px 16px;
  padding: 6px 10px;
  background: var(--_panel);
  border-block-end: 1px solid var(--_line);
}
.tools { display: flex; flex: 1 0 auto; gap: 6px; align-items: center; }
.kept-or-not { margin-inline-end: auto; }
.storage { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 10px; min-block-size: 28px; font-variant-numeric: tabular-nums; }
.meter { inline-size: clamp(48px, 9cqi, 120px); block-size: 6px; border-radius: 3px; background: var(--_line); overflow: hidden; }
.meter-fill, .share-fill { display: block; block-size: 100%; min-inline-size: 2px; background: var(--_accent); }
.switch { display: none; flex: none; }
.panes { flex: 1; display: grid; grid-template: minmax(0, 1fr) / minmax(200px, 25%) minmax(270px, 35%) minmax(0, 1fr); min-block-size: 0; }
.pane { display: flex; flex-direction: column; min-inline-size: 0; min-block-size: 0; }
.pane + .pane { border-inline-start: 1px solid var(--_line); }
.pane-head { display: flex; align-items: center; gap: 8px; min-block-size: 38px; padding: 6px 10px 2px; }
.pane-tools { display: flex; flex-wrap: wrap; gap: 6px; padding: 2px 10px 8px; min-block-size: 37px; border-block-end: 1px solid var(--_line); }
.pane-tools > input { flex: 1; }
.pane-body { flex: 1; min-block-size: 0; display: flex; flex-direction: column; }
h2 { margin: 0; font-size: 13px; font-weight: 600; min-inline-size: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
h3 { margin: 0 0 4px; font-size: 12px; font-weight: 600; color: var(--_dim); }
p { margin: 0; }
.count, .less, .size, time { color: var(--_dim); font-variant-numeric: tabular-nums; }
.count { flex: none; }
.namespaces { display: inline-flex; flex: none; align-items: center; gap: 5px; color: var(--_dim); }
.namespaces select { padding-inline: 2px; border-color: var(--_line); }
.runs { flex: none; margin-inline-start: auto; }
.empty { padding: 12px; color: var(--_dim); }
.status { position: relative; flex: none; min-block-size: 28px; padding: 4px 10px; background: var(--_panel); border-block-start: 1px solid var(--_line); }
.news { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.error { color: var(--_danger); overflow-wrap: anywhere; }
.status .error:not(:empty) {
  position: absolute;
  inset: auto 0 0;
  display: flex;
  gap: 8px;
  justify-content: space-between;
  max-block-size: 8em;
  overflow: auto;
  padding: 4px 10px;
  background: var(--_bg);
  border-block-start: 2px solid var(--_danger);
}
.seen-less { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@container (max-width: 719px) {
  .switch { display: flex; gap: 6px; padding: 6px 10px; border-block-end: 1px solid var(--_line); }
  .switch button { flex: 1; }
  .panes { grid-template-columns: minmax(0, 1fr); }
  .pane { display: none; border: 0 !important; }
  [data-pane='threads'] .threads, [data-pane='history'] .history, [data-pane='checkpoint'] .checkpoint { display: flex; }
  .storage, .tools { flex: 1 1 100%; min-block-size: 0; }
  .meter { inline-size: 100%; }
  .app:not([data-pane='threads']) .tools { display: none; }
  .tools { gap: 4px; }
  .tools button { padding-inline: 6px; }
}
`
