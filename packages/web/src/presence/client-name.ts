import { type Author, authorName, type PresentClient } from '@agenthost/protocol';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';

/** A client for people: `Web page (Chrome on Android)`, or `you` for this page. A person's name takes the place of the client's. */
export function clientName(client: Author | PresentClient, own: string | undefined): string {
  if (client.clientId === own) return text.presence.you;
  const name = visibleText(authorName(client));
  return client.device === undefined ? name : text.presence.onDevice(name, visibleText(client.device));
}
