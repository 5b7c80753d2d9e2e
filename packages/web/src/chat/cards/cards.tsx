import type { ToolCallState } from '@agenthost/protocol';
import {
  Blocks,
  BookOpen,
  Brain,
  FilePenLine,
  Globe,
  ListTodo,
  type LucideIcon,
  MonitorSmartphone,
  Plug,
  Search,
  SquareTerminal,
} from 'lucide-react';
import type { ComponentType } from 'react';
import type { CardKind } from './card-kind.ts';
import { CommandBody, CommandFacts, CommandTitle, isCommandOpen } from './command-card.tsx';
import { ClientFacts, McpFacts } from './contributor-facts.tsx';
import { EditBody, EditFacts, isEditOpen } from './edit-card.tsx';
import { GenericBody } from './generic-card.tsx';
import { PlanBody, PlanFacts, PlanTitle } from './plan-card.tsx';
import { ResultBody, ResultFacts } from './result-card.tsx';

/** A component that shows a part of a tool call. */
type CallPart = ComponentType<{ readonly toolCall: ToolCallState }>;

/** How one kind of tool call looks. */
interface CardLook {
  readonly icon: LucideIcon;
  /** Absent: the call's own message. */
  readonly Title?: CallPart;
  readonly Facts?: CallPart;
  readonly Body: CallPart;
  /** Absent: closed. */
  readonly isOpenAtFirst?: (toolCall: ToolCallState) => boolean;
}

/** The looks of all kinds of tool calls. A worker's card is `WorkerCard`. */
export const CARDS: Readonly<Record<Exclude<CardKind, 'worker'>, CardLook>> = {
  command: {
    icon: SquareTerminal,
    Title: CommandTitle,
    Facts: CommandFacts,
    Body: CommandBody,
    isOpenAtFirst: isCommandOpen,
  },
  edit: { icon: FilePenLine, Facts: EditFacts, Body: EditBody, isOpenAtFirst: isEditOpen },
  read: { icon: BookOpen, Facts: ResultFacts, Body: ResultBody },
  search: { icon: Search, Facts: ResultFacts, Body: ResultBody },
  fetch: { icon: Globe, Body: ResultBody },
  think: { icon: Brain, Body: ResultBody },
  plan: { icon: ListTodo, Title: PlanTitle, Facts: PlanFacts, Body: PlanBody },
  client: { icon: MonitorSmartphone, Facts: ClientFacts, Body: GenericBody },
  mcp: { icon: Plug, Facts: McpFacts, Body: GenericBody },
  generic: { icon: Blocks, Body: GenericBody },
};
