import { FolderGit2 } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { text } from '../../text/text.ts';
import { SafeText } from '../../ui/safe-text.tsx';
import { crumbsOf } from './path-completion.ts';

/** The folders above a path, each of which opens itself. */
export function Breadcrumb({
  path,
  isRepository,
  onOpen,
}: {
  readonly path: string;
  readonly isRepository: boolean;
  readonly onOpen: (path: string) => void;
}) {
  const list = useRef<HTMLOListElement>(null);
  const crumbs = crumbsOf(path);
  useEffect(() => {
    // The last folder is the one that matters.
    list.current?.lastElementChild?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [path]);
  return (
    <nav aria-label={text.newSession.pickPath} className="flex items-center gap-2">
      <ol ref={list} className="flex min-w-0 flex-1 items-center overflow-x-auto text-sm whitespace-nowrap">
        {crumbs.map((crumb, index) => (
          <li key={crumb.path} className="flex items-center">
            {index > 1 && (
              <span className="text-faint" aria-hidden>
                /
              </span>
            )}
            <button
              type="button"
              aria-current={index === crumbs.length - 1 ? 'location' : undefined}
              onClick={() => onOpen(crumb.path)}
              className="rounded-md px-1 py-0.5 text-muted hover:bg-hover aria-[current]:font-medium aria-[current]:text-text touch:min-h-11"
            >
              <SafeText>{crumb.name}</SafeText>
            </button>
          </li>
        ))}
      </ol>
      {isRepository && (
        <span className="inline-flex shrink-0 items-center gap-1.5 rounded-md bg-accent-soft px-2 py-0.5 text-xs text-accent">
          <FolderGit2 className="size-3.5" aria-hidden />
          {text.newSession.isRepository}
        </span>
      )}
    </nav>
  );
}
