import { text } from '../text/text.ts';

/** A session with its chats. */
export function SessionView() {
  return <h1 className="p-4 text-lg font-semibold">{text.app.sessions}</h1>;
}
