interface ScriptUrlPolicy {
  createScriptURL(url: string): string;
}

interface TrustedTypesFactory {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): ScriptUrlPolicy;
}

declare global {
  interface Window {
    readonly trustedTypes?: TrustedTypesFactory;
  }
}

let policy: ScriptUrlPolicy | undefined;

/** Creates the page's only Trusted Types policy. It allows scripts of workers from this origin, and no HTML. */
export function installTrustedTypes(): void {
  policy ??= window.trustedTypes?.createPolicy('agenthost', { createScriptURL: ownScriptUrl });
}

/** The URL of a worker's script, in the form that the browser accepts. Throws for another origin. */
export function scriptUrl(url: string | URL): string {
  return policy === undefined ? ownScriptUrl(String(url)) : policy.createScriptURL(String(url));
}

function ownScriptUrl(url: string): string {
  const resolved = new URL(url, document.baseURI);
  if (resolved.origin !== location.origin)
    throw new TypeError(`${resolved.href}: scripts come from ${location.origin} only`);
  return resolved.href;
}
