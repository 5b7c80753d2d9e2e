import type { TokenScope } from '@agenthost/protocol';

/** The style of the pages. The content security policy allows it by its hash. */
export const STATUS_STYLE = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem; color: #1c1c1e; }
code { background: #f0f0f3; padding: .1em .35em; border-radius: .25em; }
@media (prefers-color-scheme: dark) { body { background: #1c1c1e; color: #f2f2f7; } code { background: #2c2c2e; } }
`;

/**
 * The page at `/`. Says that a host runs here, and how to connect to it. Contains nothing of the host's state, because the page needs no token. `scope`: the scope
 * of the token that the browser is signed in with; absent: it is not signed in. `base`: the base path, without a slash at its end.
 */
export function statusPage(base: string, scope?: TokenScope): string {
  return page(`<h1>agenthost is running</h1>
<p>Clients connect by WebSocket at <code>/ahp</code> with a token.</p>
${
  scope === undefined
    ? ''
    : `<form method="post" action="${base}/logout">
<p>This browser is signed in and may ${MAY[scope]}. <button>Sign out</button></p>
</form>
`
}
<p>In a terminal on this machine, the program that started this host connects to it: try its commands <code>run "your prompt"</code>,
<code>sessions</code> and <code>chat</code>. <code>--help</code> lists the others.</p>
`);
}

/**
 * The page that asks before the browser is signed in. `action`: the address of the form, URL-encoded. `isInstead`: the browser is signed in with another token; otherwise
 * another page linked here.
 */
export function signInPage(scope: TokenScope, action: string, isInstead: boolean): string {
  return page(`<h1>Sign in to agenthost?</h1>
<p>${isInstead ? 'You followed a link with a token, and this browser is signed in with another token.' : 'A link on another page brought you here.'}
The button signs this browser in with the token of the link. The browser may then ${MAY[scope]}.</p>
<form method="post" action="${action.replaceAll('&', '&amp;')}"><p><button>Sign in</button></p></form>
<p>If you do not trust the sender of the link, close this page.</p>
`);
}

/** A page with the style of the host, around HTML. */
export const page = (body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>agenthost</title>
<style>${STATUS_STYLE}</style>
</head>
<body>
${body}</body>
</html>
`;

const MAY: Readonly<Record<TokenScope, string>> = {
  none: 'see and work in the sessions that were shared with its person',
  observe: 'look at everything',
  interact: 'look at everything and work in sessions and terminals',
  admin: 'do everything',
};
