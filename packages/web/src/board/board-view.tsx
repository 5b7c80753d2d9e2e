import { text } from '../text/text.ts';

/** All sessions. */
export function BoardView() {
  return <h1 className="p-4 text-lg font-semibold">{text.app.sessions}</h1>;
}
