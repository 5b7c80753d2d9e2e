/** The nonce of this document's content security policy, for `<style>` elements that libraries add. */
export function pageNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.nonce ?? '';
}
