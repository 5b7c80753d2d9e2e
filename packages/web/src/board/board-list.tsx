import { type Ref, useCallback, useImperativeHandle, useMemo, useRef, useState } from 'react';
import { text } from '../text/text.ts';
import { MenuAt, type MenuPlace } from '../ui/menu.tsx';
import { VirtualList, type VirtualListHandle } from '../ui/virtual-list.tsx';
import type { BoardSession } from './board-session.ts';
import { toggleGroup } from './board-settings.ts';
import { GroupHeading } from './group-heading.tsx';
import type { BoardRow } from './group-sessions.ts';
import type { RowControls } from './list-controls.ts';
import { listKeyHandler } from './list-keys.ts';
import { titleOf } from './session-actions.ts';
import { sessionMenu } from './session-menu.tsx';
import { isAsking } from './session-need.ts';
import { SessionRow } from './session-row.tsx';

/** Expected heights of rows, in pixels. */
const HEADING_PX = 36;
const COMPACT_PX = 52;
const WIDE_PX = 62;
const CARD_PX = 152;

/** Control of a list from outside. */
export interface BoardListHandle {
  /** Moves the focus to the row that had it last, or to the first one. */
  focus(): void;
}

interface BoardListProps {
  readonly rows: readonly BoardRow[];
  readonly label: string;
  readonly isCompact: boolean;
  readonly showsHost: boolean;
  readonly className?: string;
  readonly handle?: Ref<BoardListHandle>;
}

const keyOf = (row: BoardRow): string => row.key;

/** Sessions below their groups' headings. The arrow keys move through it; only the visible rows are rendered. */
export function BoardList({ rows, label, isCompact, showsHost, className, handle }: BoardListProps) {
  const list = useRef<VirtualListHandle>(null);
  const [current, setCurrent] = useState<string>();
  const [renaming, setRenaming] = useState<string>();
  const [menu, setMenu] = useState<{ readonly session: BoardSession; readonly place: MenuPlace }>();
  const focus = useRowFocus(list);

  const controls = useMemo<RowControls>(
    () => ({
      register: focus.register,
      setCurrent,
      openMenu: (session, place) => {
        setCurrent(session.key);
        setMenu({ session, place });
      },
      endRename: ({ key }) => {
        setRenaming(undefined);
        focus.move(key);
      },
    }),
    [focus],
  );

  const at = rows.findIndex(({ key }) => key === current);
  const currentKey = at < 0 ? rows[0]?.key : current;
  const goTo = (key: string): void => {
    setCurrent(key);
    focus.move(key);
  };
  const onKeyDown = listKeyHandler({
    rows,
    at: Math.max(at, 0),
    goTo,
    rename: setRenaming,
    openMenu: setMenu,
  });
  useImperativeHandle(handle, () => ({
    focus: () => {
      if (currentKey !== undefined) goTo(currentKey);
    },
  }));

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- keys of the rows inside
    <div className="flex min-h-0 flex-1 flex-col" onKeyDown={onKeyDown}>
      <VirtualList
        handle={list}
        items={rows}
        keyOf={keyOf}
        estimate={(row) => heightOf(row, isCompact)}
        label={label}
        className={className ?? 'min-h-0 flex-1'}
      >
        {(row) =>
          row.kind === 'group' ? (
            <GroupHeading
              row={row}
              isCurrent={row.key === currentKey}
              controls={controls}
              onToggle={() => toggleGroup(row.group.id)}
            />
          ) : (
            <SessionRow
              session={row.session}
              isCompact={isCompact}
              isCurrent={row.key === currentKey}
              isRenaming={row.key === renaming}
              showsHost={showsHost}
              controls={controls}
            />
          )
        }
      </VirtualList>
      {menu !== undefined && (
        <MenuAt
          place={menu.place}
          label={text.board.actionsOf(titleOf(menu.session))}
          entries={sessionMenu(menu.session, () => setRenaming(menu.session.key))}
          onClose={() => {
            setMenu(undefined);
            focus.move(menu.session.key);
          }}
        />
      )}
    </div>
  );
}

function heightOf(row: BoardRow, isCompact: boolean): number {
  if (row.kind === 'group') return HEADING_PX;
  if (isCompact) return COMPACT_PX;
  return isAsking(row.session.summary) ? CARD_PX : WIDE_PX;
}

/** Moves the focus between rows, of which those far away are rendered only after scrolling. */
function useRowFocus(list: React.RefObject<VirtualListHandle | null>) {
  const elements = useRef(new Map<string, HTMLElement>());
  const wanted = useRef<string>(undefined);
  const register = useCallback((key: string, element: HTMLElement | null) => {
    if (element === null) {
      elements.current.delete(key);
      return;
    }
    elements.current.set(key, element);
    if (wanted.current !== key) return;
    wanted.current = undefined;
    element.focus({ preventScroll: true });
  }, []);
  const move = useCallback(
    (key: string) => {
      list.current?.scrollToKey(key);
      const element = elements.current.get(key);
      if (element?.isConnected === true) element.focus({ preventScroll: true });
      else wanted.current = key;
    },
    [list],
  );
  return useMemo(() => ({ register, move }), [register, move]);
}
