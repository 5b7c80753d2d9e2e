import {
  Bell,
  Bot,
  GitFork,
  Info,
  Keyboard,
  KeyRound,
  type LucideIcon,
  Palette,
  Server,
  ShieldCheck,
} from 'lucide-react';
import { settingsText } from '../text/settings-text.ts';

/** The sections of the settings, in the order shown. Their ids are parts of addresses: `/settings/agents`. */
export const SECTIONS = [
  'host',
  'agents',
  'access',
  'approvals',
  'worktrees',
  'notifications',
  'appearance',
  'keys',
  'about',
] as const;

/** One of {@link SECTIONS}. */
export type SectionId = (typeof SECTIONS)[number];

/** Sections that are about a host and not about this browser. */
const OF_HOST: ReadonlySet<SectionId> = new Set([
  'host',
  'agents',
  'access',
  'approvals',
  'worktrees',
  'notifications',
]);

/** Whether a section is about the chosen host. */
export const isOfHost = (id: SectionId): boolean => OF_HOST.has(id);

/** The section that an address names; `undefined` for an unknown one. */
export const sectionOf = (id: string | undefined): SectionId | undefined =>
  SECTIONS.find((each) => each === id);

/** Name of a section for people. */
export const sectionName = (id: SectionId): string => settingsText.sections[id];

/** The sign of each section. */
export const SECTION_ICONS: Readonly<Record<SectionId, LucideIcon>> = {
  host: Server,
  agents: Bot,
  access: KeyRound,
  approvals: ShieldCheck,
  worktrees: GitFork,
  notifications: Bell,
  appearance: Palette,
  keys: Keyboard,
  about: Info,
};
