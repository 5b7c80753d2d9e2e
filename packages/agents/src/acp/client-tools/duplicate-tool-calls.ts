import type { ClientTool } from '@agenthost/host/agent';
import type { ToolCallFields } from '../session/session-update.ts';
import { isCallOf, isSurelyCallOf } from './client-tool-forms.ts';

interface Twin {
  readonly tool: ClientTool;
  /** As it was announced: later it may get another title, but not be another tool. */
  readonly title: string | undefined;
  fields: ToolCallFields;
  isClaimed: boolean;
  isShown: boolean;
}

/**
 * Agents announce what they call of the host's own tool server as calls of theirs. The host shows the client's call in their place, so
 * such a twin is kept back until it is clear that there is none: it ended, or the turn did, and nothing came for it.
 */
export class ClientToolTwins {
  readonly #tools: () => readonly ClientTool[];
  readonly #twins = new Map<string, Twin>();
  /** Calls that came before they were announced, by name. */
  readonly #early = new Map<string, number>();
  /** Names of tools that the agent has asked about without a person: people are asked about every call that comes of them. */
  readonly #asked = new Set<string>();

  constructor(tools: () => readonly ClientTool[]) {
    this.#tools = tools;
  }

  /** What of an announcement or update there is to show as the agent's own; `undefined`: nothing. */
  shown(fields: ToolCallFields): ToolCallFields | undefined {
    const twin = this.#twins.get(fields.toolCallId) ?? this.#begin(fields, true);
    if (twin === undefined || twin.isShown) return fields;
    twin.fields = merged(twin.fields, fields);
    const title = twin.title === undefined ? {} : { title: twin.title };
    const isSame = isCallOf(twin.tool, { ...twin.fields, ...title });
    if (isSame && (!isEnd(fields) || twin.isClaimed)) return undefined;
    twin.isShown = true;
    return twin.fields;
  }

  /**
   * Takes a question of the agent. `undefined`: it can be about nothing but a client's tool, and a person is asked about the client's call
   * once it comes. Else what a person is to be asked about.
   */
  asks(fields: ToolCallFields): ToolCallFields | undefined {
    const known = this.#twins.get(fields.toolCallId);
    if (known?.isShown === true) return fields;
    const all = merged(known?.fields, fields);
    const tool = this.#tools().find((each) => isSurelyCallOf(each, all));
    if (tool === undefined || (known !== undefined && known.tool.name !== tool.name)) {
      if (known !== undefined) known.isShown = true;
      return all;
    }
    const twin = known ?? this.#begin(all, false);
    if (twin === undefined) return all;
    twin.fields = all;
    // Agents ask before they call: what has come so far was another call.
    twin.isClaimed = false;
    this.#asked.add(tool.name);
    return undefined;
  }

  /**
   * A call that shows already says more of itself. Qwen Code asks about a server's tool without saying whose it is, so that its question
   * is a call of its own; only when it is over it turns out that the client's call came for it.
   */
  sawShown(fields: ToolCallFields): void {
    if (!isEnd(fields)) return;
    const name = this.#tools().find((tool) => isCallOf(tool, fields))?.name;
    const earlyCount = this.#early.get(name ?? '') ?? 0;
    if (name !== undefined && earlyCount > 0) this.#early.set(name, earlyCount - 1);
  }

  /** The client's call has come. True when the agent has asked whether it may, and no person has answered. */
  claim(name: string): boolean {
    const twin = [...this.#twins.values()].find(
      (each) => each.tool.name === name && !each.isClaimed && !each.isShown,
    );
    if (twin === undefined) this.#early.set(name, (this.#early.get(name) ?? 0) + 1);
    else twin.isClaimed = true;
    return this.#asked.has(name);
  }

  /** The turn is over: what was kept back and nothing came for, to show now. */
  end(): ToolCallFields[] {
    const left = [...this.#twins.values()].filter(({ isClaimed, isShown }) => !isClaimed && !isShown);
    for (const twin of left) twin.isShown = true;
    return left.map(({ fields }) => fields);
  }

  #begin(fields: ToolCallFields, mayHaveCome: boolean): Twin | undefined {
    const tool = this.#tools().find((each) => isCallOf(each, fields));
    if (tool === undefined) return undefined;
    const earlyCount = mayHaveCome ? (this.#early.get(tool.name) ?? 0) : 0;
    const isClaimed = earlyCount > 0;
    if (isClaimed) this.#early.set(tool.name, earlyCount - 1);
    const twin = { tool, title: fields.title, fields, isClaimed, isShown: false };
    this.#twins.set(fields.toolCallId, twin);
    return twin;
  }
}

const isEnd = ({ status }: ToolCallFields): boolean => status === 'completed' || status === 'failed';

const merged = (known: ToolCallFields | undefined, fields: ToolCallFields): ToolCallFields => ({
  ...known,
  ...fields,
  meta: { ...known?.meta, ...fields.meta },
});
