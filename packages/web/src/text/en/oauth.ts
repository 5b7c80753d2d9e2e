/** Texts of the sign-in to a resource of an agent or of an MCP server. */
export const oauth = {
  signIn: 'Sign in with the browser',
  withCode: 'Sign in with a code',
  beginning: 'Asking the sign-in server…',
  openPage: 'Open the sign-in page',
  openHint: (server: string) => `It opens ${server} in a new window. This page continues when you come back.`,
  code: 'Code',
  codeHint: 'Enter this code on the page that opens:',
  waiting: 'Waiting for your sign-in…',
  cancel: 'Cancel',
  done: (resource: string) => `Signed in to ${resource}.`,
  clientId: 'Client id',
  clientIdHint: 'Only if the sign-in server asks for an application that is registered there.',
  refused: (error: string) => `The sign-in server refused: ${error}`,
  away: 'The host is not connected.',
  backTitle: 'Back from the sign-in',
  back: 'You can close this window. The page that you came from continues.',
  backLost:
    'No page of this host waits for this sign-in in this browser. Close this window and sign in again.',
  backRefused: (error: string) => `The sign-in server did not agree: ${error}`,
};
