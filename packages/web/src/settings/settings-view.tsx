import { text } from '../text/text.ts';

/** Settings of page and hosts. */
export function SettingsView() {
  return <h1 className="p-4 text-lg font-semibold">{text.app.settings}</h1>;
}
