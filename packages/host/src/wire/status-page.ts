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
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>agenthost</title>
<style>${STATUS_STYLE}</style>
</head>
<body>
<h1>agenthost is running</h1>
<p>Clients connect by WebSocket at <code>/ahp</code> with a token.</p>
${scope === undefined ? '' : SIGNED_IN[scope]}
<p>From a terminal on this machine: <code>agenthost run "your prompt"</code>, <code>agenthost sessions</code>,
<code>agenthost watch &lt;session&gt;</code>.</p>
</body>
</html>
`;
}

const signedIn = (may: string): string => `<form method="post" action="/logout">
<p>This browser is signed in and may ${may}. <button>Sign out</button></p>
</form>
`;

const SIGNED_IN: Readonly<Record<TokenScope, string>> = {
  observe: signedIn('look at everything'),
  interact: signedIn('look at everything and work in sessions and terminals'),
  admin: signedIn('do everything'),
};
