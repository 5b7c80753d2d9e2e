import { text } from '../text/text.ts';

/** The form for a new session. */
export function NewSessionView() {
  return <h1 className="p-4 text-lg font-semibold">{text.app.sessions}</h1>;
}
