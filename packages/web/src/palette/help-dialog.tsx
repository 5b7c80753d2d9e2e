import { text } from '../text/text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { type Action, shownKeys, useActions } from './actions.ts';
import { closePalette } from './open-palette.ts';

/** Keys of the list of sessions, which work while one of its rows has the focus. */
const LIST_KEYS = [
  [['arrowdown', 'arrowup'], text.board.keyMove],
  [['j', 'k'], text.board.keyMove],
  [['home', 'end'], text.board.keyEnds],
  [['enter'], text.board.keyOpen],
  [['arrowleft', 'arrowright'], text.board.keyClose],
  [['e'], text.board.archive],
  [['u'], text.board.markUnread],
  [['r'], text.board.rename],
  [['delete'], text.board.delete],
  [['m'], text.board.keyMenu],
] as const;

/** All keyboard shortcuts: those of the page, of the present view, and of lists. */
export function HelpDialog() {
  const actions = useActions().filter(({ keys }) => keys !== undefined);
  const everywhere = actions.filter(({ place }) => place === 'everywhere');
  const ofView = actions.filter(({ place, isKeyOnly }) => place !== 'everywhere' && isKeyOnly !== true);
  return (
    <Dialog
      isOpen
      size="large"
      onClose={closePalette}
      title={text.palette.help}
      description={text.palette.helpExplain}
    >
      <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
        <Keys title={text.palette.everywhere} rows={everywhere.map(rowOf)} />
        {ofView.length > 0 && <Keys title={text.palette.thisView} rows={ofView.map(rowOf)} />}
        <Keys title={text.board.listKeys} rows={LIST_KEYS} />
      </div>
    </Dialog>
  );
}

type Row = readonly [keys: readonly string[], label: string];

const rowOf = ({ keys = '', label }: Action): Row => [[keys], label];

function Keys({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1.5 text-xs font-medium text-muted">{title}</h3>
      <dl className="flex flex-col gap-1.5 text-sm">
        {rows.map(([keys, label]) => (
          <div key={keys.join(' ')} className="flex items-center justify-between gap-4">
            <dt className="min-w-0">{label}</dt>
            <dd className="flex shrink-0 gap-1">
              {keys.map((each) => (
                <kbd
                  key={each}
                  className="min-w-6 rounded-md border border-line-strong bg-sunken px-1.5 text-center font-sans text-xs leading-5"
                >
                  {shownKeys(each)}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
