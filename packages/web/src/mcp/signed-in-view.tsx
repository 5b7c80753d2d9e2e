import { useEffect, useState } from 'react';
import { mcpText } from '../text/mcp-text.ts';
import { SafeText } from '../ui/safe-text.tsx';
import { readRedirect, signInChannel } from './sign-in-channel.ts';

/** Where a sign-in to an MCP server ends: gives the result to the tab that began it. */
export function SignedInView() {
  const [query] = useState(() => location.search);
  const result = readRedirect(new URLSearchParams(query));
  useEffect(() => {
    const channel = signInChannel();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel takes no origin
    channel.postMessage({ query });
    channel.close();
    // The code works once, and must not stay in the history.
    history.replaceState(history.state, '', location.pathname);
  }, [query]);
  const isDone = result?.code !== undefined;
  return (
    <main className="mx-auto flex max-w-md flex-col gap-2 px-5 py-16">
      <h1 className="text-lg font-semibold">{isDone ? mcpText.signedIn : mcpText.notSignedIn}</h1>
      <p className="text-sm text-muted">
        {isDone ? (
          mcpText.signedInText
        ) : (
          <SafeText>{mcpText.notSignedInText(result?.error ?? mcpText.noCode)}</SafeText>
        )}
      </p>
    </main>
  );
}
