import type { TokenScope } from '@agenthost/protocol';

/** The page's style: named by its hash in the policy, and so without any other. */
export const STATUS_STYLE = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem; color: #1c1c1e; }
code { background: #f0f0f3; padding: .1em .35em; border-radius: .25em; }
@media (prefers-color-scheme: dark) { body { background: #1c1c1e; color: #f2f2f7; } code { background: #2c2c2e; } }
`;

/**
 * What a browser sees at `/`: that a host runs here, and how to reach it. Nothing of its state, since it needs no token. `scope`: of whom
 * the browser is signed in as.
 */
export function statusPage(scope?: TokenScope): string {
  return page(`<h1>agenthost is running</h1>
<p>Clients connect by WebSocket at <code>/ahp</code> with a token.</p>
${
  scope === undefined
    ? ''
    : `<form method="post" action="/logout">
<p>This browser is signed in and may ${MAY[scope]}. <button>Sign out</button></p>
</form>
`
}
<p>In a terminal on this machine, the commands <code>run "your prompt"</code>, <code>sessions</code> and <code>chat</code> of the program that
started this host reach it; <code>--help</code> lists the others.</p>
`);
}

/**
 * What a browser sees that is not signed in unasked; `ticket` is in the alphabet of addresses. `isInstead`: it is signed in with another token, else a link of
 * elsewhere brought it here.
 */
export function signInPage(scope: TokenScope, ticket: string, isInstead: boolean): string {
  return page(`<h1>Sign in to agenthost?</h1>
<p>${isInstead ? 'This browser is signed in with another token than that of the link that you followed.' : 'A link on another page brought you here.'}
It signs this browser in with the token of that link; the browser may then ${MAY[scope]}.</p>
<form method="post" action="/sign-in?ticket=${ticket}"><p><button>Sign in</button></p></form>
<p>If that link is not from somebody you trust, close this page.</p>
`);
}

const page = (body: string): string => `<!doctype html>
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
  observe: 'look at everything',
  interact: 'look at everything and work in sessions and terminals',
  admin: 'do everything',
};
