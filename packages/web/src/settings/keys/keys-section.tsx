import { shownKeys, useActions } from '../../palette/actions.ts';
import { settingsText } from '../../text/settings-text.ts';
import { text } from '../../text/text.ts';
import { FRAME, Panel } from '../panel.tsx';
import { KEY_LISTS, type KeyRow } from './key-lists.ts';

/** All keyboard shortcuts of the page. */
export function KeysSection() {
  const everywhere = useActions().flatMap(({ keys, label, place }): KeyRow[] =>
    keys !== undefined && place === 'everywhere' ? [[[shownKeys(keys)], label]] : [],
  );
  return (
    <>
      <p className="text-sm text-muted">{settingsText.keysExplain}</p>
      {everywhere.length > 0 && <Keys title={text.palette.everywhere} rows={everywhere} />}
      {KEY_LISTS.map(({ title, rows }) => (
        <Keys key={title} title={title} rows={rows} />
      ))}
    </>
  );
}

function Keys({ title, rows }: { readonly title: string; readonly rows: readonly KeyRow[] }) {
  return (
    <Panel title={title}>
      <dl className={`${FRAME} divide-y divide-line text-sm`}>
        {rows.map(([keys, label]) => (
          <div key={label} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2">
            <dt className="min-w-0">{label}</dt>
            <dd className="flex flex-wrap gap-1">
              {keys.map((key) =>
                key === '…' ? (
                  <span key={key} className="text-faint">
                    {key}
                  </span>
                ) : (
                  <kbd
                    key={key}
                    className="min-w-6 rounded-md border border-line-strong bg-sunken px-1.5 text-center font-sans text-xs leading-5"
                  >
                    {key}
                  </kbd>
                ),
              )}
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
