import { text } from '../text/text.ts';

/** All terminals. */
export function TerminalsView() {
  return <h1 className="p-4 text-lg font-semibold">{text.app.terminals}</h1>;
}
