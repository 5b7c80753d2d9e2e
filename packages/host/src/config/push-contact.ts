/** Default contact in the signature of pushes. Push services require one that is not a local name. */
export const DEFAULT_PUSH_CONTACT = 'mailto:agenthost@example.org';

/** Whether a text is a contact for operators of push services: a `mailto:` URL with an address, or an `https:` URL (RFC 8292). */
export function isPushContact(text: string): boolean {
  const url = URL.parse(text);
  if (url?.protocol === 'https:') return true;
  return url?.protocol === 'mailto:' && /^[^\s@]+@[^\s@]+$/.test(url.pathname);
}
