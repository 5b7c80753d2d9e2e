import {
  type Change,
  type Doc,
  doc,
  docs,
  drop,
  from,
  isDoc,
  mergeConfig,
  pick,
  put,
  putAll,
  since,
  type Table,
  upsert,
} from './doc.ts';

export const ROOT: Table = {
  'root/agentsChanged': (state, action) => putAll(state, action, 'agents'),
  'root/activeSessionsChanged': (state, action) => putAll(state, action, 'activeSessions'),
  'root/terminalsChanged': (state, action) => putAll(state, action, 'terminals'),
  'root/configChanged': (state, action) => {
    mergeConfig(state, action);
  },
};

const output: Change = (state, { data }) => {
  const parts = docs(state['content']);
  const tail = parts.at(-1);
  const field = tail?.['type'] === 'unclassified' ? 'value' : 'output';
  if (tail !== undefined && (field === 'value' || tail['isComplete'] !== true))
    tail[field] = `${String(tail[field])}${String(data)}`;
  else state['content'] = [...parts, { type: 'unclassified', value: data }];
};

const finished: Change = (state, action) => {
  const part = docs(state['content']).findLast(
    ({ type, commandId }) => type === 'command' && commandId === action['commandId'],
  );
  if (part === undefined) return;
  part['isComplete'] = true;
  putAll(part, action, 'exitCode', 'durationMs');
};

export const TERMINAL: Table = {
  'terminal/data': output,
  'terminal/resized': (state, action) => putAll(state, action, 'cols', 'rows'),
  'terminal/claimed': (state, action) => putAll(state, action, 'claim'),
  'terminal/titleChanged': (state, action) => putAll(state, action, 'title'),
  'terminal/cwdChanged': (state, action) => putAll(state, action, 'cwd'),
  'terminal/exited': (state, action, at) => {
    if (since(at, '0.9.0')) state['lifecycle'] = { ...pick(action, 'exitCode'), status: 'exited' };
    else putAll(state, action, 'exitCode');
  },
  'terminal/cleared': (state) => put(state, 'content', []),
  'terminal/commandDetectionAvailable': (state) => put(state, 'supportsCommandDetection', true),
  'terminal/commandExecuted': (state, action) => {
    const facts = pick(action, 'commandId', 'commandLine', 'timestamp');
    const part = { type: 'command', ...facts, output: '', isComplete: false };
    state['content'] = [...docs(state['content']), part];
    state['supportsCommandDetection'] = true;
  },
  'terminal/commandFinished': finished,
};

/** Sets a status, and its error if it is one. */
function putStatus(target: Doc, { status, error }: Doc): void {
  put(target, 'status', status);
  put(target, 'error', status === 'error' ? error : undefined);
}

const reviewed =
  (field: 'files' | 'fileIds'): Change =>
  (state, action) => {
    const ids = new Set<unknown>(Array.isArray(action[field]) ? action[field] : []);
    for (const file of docs(state['files'])) if (ids.has(file['id'])) putAll(file, action, 'reviewed');
  };

export const CHANGESET: Table = {
  'changeset/statusChanged': putStatus,
  'changeset/fileSet': (state, { file }) => upsert(docs(state['files']), file),
  'changeset/fileRemoved': (state, { fileId }) => {
    drop(docs(state['files']), fileId);
  },
  'changeset/filesReviewedChanged': (state, action, at) => {
    if (at.version === '0.5.2') reviewed('fileIds')(state, action, at);
  },
  'changeset/filesReviewChanged': from('0.6.0', reviewed('files')),
  'changeset/contentChanged': (state, action, at) => {
    putAll(state, action, 'files');
    if (action['operations'] !== undefined) putAll(state, action, 'operations');
    if (!since(at, '0.9.0')) putAll(state, action, 'error');
    if (since(at, '1.0.0')) putAll(state, action, 'x-leftOut');
  },
  'changeset/operationsChanged': (state, action) => putAll(state, action, 'operations'),
  'changeset/operationStatusChanged': (state, action) => {
    const operation = docs(state['operations']).findLast(({ id }) => id === action['operationId']);
    if (operation !== undefined) putStatus(operation, action);
  },
  'changeset/cleared': (state) => {
    put(state, 'files', []);
    delete state['x-leftOut'];
  },
};

const annotation = (state: Doc, action: Doc): Doc | undefined =>
  docs(state['annotations']).findLast(({ id }) => id === action['annotationId']);

export const ANNOTATIONS: Table = {
  'annotations/set': (state, action) => upsert(docs(state['annotations']), action['annotation']),
  'annotations/removed': (state, { annotationId }) => {
    drop(docs(state['annotations']), annotationId);
  },
  'annotations/updated': (state, action, at) => {
    const anchor = since(at, '0.9.0') ? 'origin' : 'turnId';
    const found = annotation(state, action);
    if (found !== undefined) Object.assign(found, pick(action, anchor, 'resource', 'range', 'resolved'));
  },
  'annotations/entrySet': (state, action) => {
    const found = annotation(state, action);
    if (found !== undefined) upsert(docs(found['entries']), action['entry']);
  },
  'annotations/entryRemoved': (state, action) => {
    drop(docs(annotation(state, action)?.['entries']), action['entryId']);
  },
};

export const AUTOMATIONS: Table = {
  'automation/set': from('0.9.0', (state, { automation }) =>
    upsert(docs(state['entries']), automation, 'resource'),
  ),
  'automation/removed': from('0.9.0', (state, action) => {
    const gone = isDoc(action['automation']) ? action['automation'] : action;
    drop(docs(state['entries']), gone['resource'], 'resource');
  }),
};

export const AUTOMATION_RUN: Table = {
  'automationRun/lifecycleChanged': from('0.9.0', (state, action) => putAll(state, action, 'lifecycle')),
  'automationRun/sessionSet': from('0.9.0', (state, { session }) => {
    const list: unknown[] = Array.isArray(state['sessions']) ? state['sessions'] : [];
    if (!list.includes(session)) state['sessions'] = [...list, session];
  }),
  'automationRun/sessionRemoved': from('0.9.0', (state, { session }) => {
    const list: unknown[] = Array.isArray(state['sessions']) ? state['sessions'] : [];
    state['sessions'] = list.filter((one) => one !== session);
    if (state['primarySession'] === session) delete state['primarySession'];
  }),
  'automationRun/primarySessionChanged': from('0.9.0', (state, action) =>
    putAll(state, action, 'primarySession'),
  ),
};

export const CANVAS: Table = {
  'canvas/stateChanged': from('1.0.0', (state, { canvas }) => {
    for (const key of Object.keys(state)) delete state[key];
    Object.assign(state, doc(canvas));
  }),
};
