/** Every request that names a folder: its purpose, its method, and its params for a URI. The client is `trickster`. */
export const folderRequests: readonly (readonly [
  string,
  string,
  (uri: string, session: string) => object,
])[] = [
  ['a new session', 'createSession', (uri) => ({ channel: 'ahp-session:/x', workingDirectories: [uri] })],
  [
    'a new terminal',
    'createTerminal',
    (uri) => ({
      channel: 'ahp-terminal:/x',
      claim: { kind: 'client', clientId: 'trickster' },
      cwd: uri,
      'x-command': ['cat', 'secret.txt'],
    }),
  ],
  [
    'the settings of a session to be',
    'resolveSessionConfig',
    (uri) => ({ channel: 'ahp-root://', provider: 'demo', workingDirectory: uri }),
  ],
  [
    'proposals for such settings',
    'sessionConfigCompletions',
    (uri) => ({ channel: 'ahp-root://', provider: 'demo', property: 'nickname', workingDirectory: uri }),
  ],
];
