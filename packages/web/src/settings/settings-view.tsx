import { getRouteApi, Link } from '@tanstack/react-router';
import { CalendarClock, ChevronLeft, ChevronRight } from 'lucide-react';
import { type ComponentType, useId } from 'react';
import { usePageTitle } from '../attention/page-title.ts';
import type { HostLink } from '../live/host-link.ts';
import { useLink, useLinks } from '../live/use-hosts.ts';
import { SIGNED_IN } from '../oauth/redirects.ts';
import { SignedInView } from '../oauth/signed-in-view.tsx';
import { settingsText } from '../text/settings-text.ts';
import { text } from '../text/text.ts';
import { classes } from '../ui/class-names.ts';
import { Select } from '../ui/field.tsx';
import { AboutSection } from './about/about-section.tsx';
import { AccessSection } from './access/access-section.tsx';
import { AgentsSection } from './agents/agents-section.tsx';
import { AppearanceSection } from './appearance/appearance-section.tsx';
import { ApprovalsSection } from './approvals/approvals-section.tsx';
import { HostSection } from './host/host-section.tsx';
import { KeysSection } from './keys/keys-section.tsx';
import { NotificationsSection } from './notifications/notifications-section.tsx';
import { isOfHost, SECTION_ICONS, SECTIONS, type SectionId, sectionName, sectionOf } from './sections.ts';
import { WorktreesSection } from './worktrees/worktrees-section.tsx';

const route = getRouteApi('/settings/{-$section}');

const CONTENT: Readonly<Record<SectionId, ComponentType<{ readonly link: HostLink }>>> = {
  host: HostSection,
  agents: AgentsSection,
  access: AccessSection,
  approvals: ApprovalsSection,
  worktrees: WorktreesSection,
  notifications: NotificationsSection,
  appearance: AppearanceSection,
  keys: KeysSection,
  about: AboutSection,
};

/** Settings of page and hosts: a list and the chosen section side by side, or one after the other on a narrow screen. */
export function SettingsView() {
  const { section } = route.useParams();
  return section === SIGNED_IN ? <SignedInView /> : <Sections />;
}

function Sections() {
  const { section } = route.useParams();
  const { host } = route.useSearch();
  const link = useLink(host);
  const named = sectionOf(section);
  const shown = named ?? 'host';
  usePageTitle(named === undefined ? text.app.settings : sectionName(named));
  return (
    <div className="flex min-h-0 flex-1">
      <div
        className={classes(
          'min-h-0 w-full flex-col overflow-y-auto border-line lg:flex lg:w-60 lg:shrink-0 lg:border-e',
          named === undefined ? 'flex' : 'hidden',
        )}
      >
        <h1 className="px-4 pt-4 pb-2 text-lg font-semibold">{text.app.settings}</h1>
        <HostChoice link={link} section={named} />
        <SectionList host={host} shown={shown} />
      </div>
      <section
        aria-label={sectionName(shown)}
        // Keys scroll a section without controls.
        tabIndex={0}
        className={classes(
          'min-h-0 min-w-0 flex-1 flex-col overflow-y-auto outline-none focus-visible:ring-2 focus-visible:ring-(--c-focus) focus-visible:ring-inset lg:flex',
          named === undefined ? 'hidden' : 'flex',
        )}
      >
        <SectionContent id={shown} link={link} host={host} />
      </section>
    </div>
  );
}

function SectionList({ host, shown }: { readonly host: string | undefined; readonly shown: SectionId }) {
  return (
    <nav aria-label={settingsText.sectionsLabel} className="flex flex-col gap-0.5 p-2">
      {SECTIONS.map((id) => {
        const Icon = SECTION_ICONS[id];
        return (
          <Link
            key={id}
            to="/settings/{-$section}"
            params={{ section: id }}
            search={{ host }}
            aria-current={id === shown ? 'page' : undefined}
            className={classes(
              'flex min-h-12 items-center gap-3 rounded-lg px-3 text-sm text-text hover:bg-hover lg:min-h-9 lg:gap-2.5 lg:px-2.5 lg:text-muted lg:hover:text-text',
              id === shown && 'lg:bg-hover lg:text-text',
              // Phones have no keyboard.
              id === 'keys' && 'touch:max-sm:hidden',
            )}
          >
            <Icon className="size-4 shrink-0 text-muted" aria-hidden />
            <span className="min-w-0 flex-1 truncate">{sectionName(id)}</span>
            <ChevronRight className="size-4 text-faint lg:hidden rtl:rotate-180" aria-hidden />
          </Link>
        );
      })}
      <Link
        to="/automations"
        search={{ host }}
        className="mt-2 flex min-h-12 items-center gap-3 rounded-lg border-t border-line px-3 text-sm text-text hover:bg-hover lg:min-h-9 lg:gap-2.5 lg:px-2.5 lg:text-muted lg:hover:text-text"
      >
        <CalendarClock className="size-4 shrink-0 text-muted" aria-hidden />
        <span className="min-w-0 flex-1 truncate">{settingsText.automations}</span>
        <ChevronRight className="size-4 text-faint rtl:rotate-180" aria-hidden />
      </Link>
    </nav>
  );
}

function SectionContent({
  id,
  link,
  host,
}: {
  readonly id: SectionId;
  readonly link: HostLink;
  readonly host: string | undefined;
}) {
  const Content = CONTENT[id];
  const links = useLinks();
  return (
    <>
      <header className="sticky top-0 z-10 flex min-h-12 items-center gap-1 border-b border-line bg-surface px-2 lg:hidden">
        <Link
          to="/settings/{-$section}"
          params={{ section: undefined }}
          search={{ host }}
          aria-label={settingsText.back}
          title={settingsText.back}
          className="inline-flex size-11 shrink-0 items-center justify-center rounded-lg text-muted hover:bg-hover"
        >
          <ChevronLeft className="size-5 rtl:rotate-180" aria-hidden />
        </Link>
        <h1 className="sr-only">{text.app.settings}</h1>
        <h2 className="min-w-0 truncate font-semibold">{sectionName(id)}</h2>
      </header>
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-8 px-4 py-5 sm:px-6 lg:py-8">
        <h2 className="-mb-3 hidden text-xl font-semibold lg:block">{sectionName(id)}</h2>
        {links.length > 1 && isOfHost(id) && (
          <p className="-mb-4 truncate text-sm text-muted">{settingsText.ofHost(link.address.name)}</p>
        )}
        <Content key={link.address.id} link={link} />
      </div>
    </>
  );
}

/** Which host the sections are about. Nothing while there is only one. */
function HostChoice({ link, section }: { readonly link: HostLink; readonly section: SectionId | undefined }) {
  const links = useLinks();
  const navigate = route.useNavigate();
  const id = useId();
  if (links.length < 2) return null;
  return (
    <div className="px-4 pb-2">
      <label htmlFor={id} className="text-xs text-muted">
        {settingsText.host}
      </label>
      <Select
        id={id}
        value={link.address.id}
        onChange={(event) =>
          void navigate({
            to: '/settings/{-$section}',
            params: { section },
            search: { host: event.currentTarget.value },
          })
        }
      >
        {links.map(({ address }) => (
          <option key={address.id} value={address.id}>
            {address.name}
          </option>
        ))}
      </Select>
    </div>
  );
}
