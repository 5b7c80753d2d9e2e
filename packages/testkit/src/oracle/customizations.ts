import { type Change, type Doc, doc, docs, drop, from, put, since, type Table, upsert } from './doc.ts';

const KEEPS_LIST = ['plugin', 'mcpServer'];

/** The entry or child that fits: top-level entries first. */
function find(state: Doc, fits: (one: Doc) => boolean): Doc | undefined {
  const list = docs(state['customizations']);
  const holder = list.find(({ children }) => docs(children).some(fits));
  return list.findLast(fits) ?? docs(holder?.['children']).findLast(fits);
}

const server =
  (change: (server: Doc, action: Doc) => void): Change =>
  (state, action) => {
    const fits = ({ type, id }: Doc): boolean => type === 'mcpServer' && id === action['id'];
    const entries = docs(state['customizations']);
    const found = [entries, ...entries.map(({ children }) => docs(children))].flat().find(fits);
    if (found !== undefined) change(found, action);
  };

const turnedTo = (kind: string): Change =>
  server((found) => {
    found['state'] = { kind };
    delete found['channel'];
  });

const toggled: Change = (state, action, at) => {
  const fits = ({ id }: Doc): boolean => id === action['id'];
  // Before 0.5.2, children had no flag.
  const found = since(at, '0.5.2') ? find(state, fits) : docs(state['customizations']).findLast(fits);
  if (found === undefined) return;
  if (!since(at, '0.8.0')) {
    put(found, 'enabled', action['enabled']);
    return;
  }
  const decisions = docs(action['enablement']);
  if (KEEPS_LIST.includes(String(found['type'])))
    put(found, 'enablement', decisions.length > 0 ? decisions : undefined);
  else found['enabled'] = decisions[0]?.['enabled'] ?? true;
};

export const CUSTOMIZATIONS: Table = {
  'session/customizationsChanged': (state, { customizations }) =>
    put(state, 'customizations', customizations),
  'session/customizationUpdated': (state, { customization }) => {
    const list = docs(state['customizations']);
    upsert(list, customization);
    state['customizations'] = list;
  },
  'session/customizationRemoved': (state, { id }) => {
    const list = docs(state['customizations']);
    if (drop(list, id)) return;
    list.some(({ children }) => drop(docs(children), id));
  },
  'session/customizationToggled': toggled,
  'session/mcpServerStateChanged': server((found, action) => {
    put(found, 'state', action['state']);
    put(found, 'channel', action['channel']);
  }),
  'session/mcpServerStartRequested': from('0.5.2', turnedTo('starting')),
  'session/mcpServerStopRequested': from('0.5.2', turnedTo('stopped')),
  'session/mcpServerBackgroundRequested': from(
    '1.0.0',
    server((found) => {
      const state = doc(found['state']);
      if (state['kind'] === 'starting' && state['blocking'] === true) state['blocking'] = false;
    }),
  ),
};
