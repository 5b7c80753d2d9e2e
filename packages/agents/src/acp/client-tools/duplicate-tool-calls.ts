import type { HostTool } from '@agenthost/host/agent';
import type { ToolCallFields } from '../session/session-update.ts';
import { isCallOf, isSurelyCallOf } from './client-tool-forms.ts';

interface Duplicate {
  readonly tool: HostTool;
  /** The first title. Later titles may differ, but the tool stays the same. */
  readonly title: string | undefined;
  fields: ToolCallFields;
  isClaimed: boolean;
  isShown: boolean;
}

/**
 * Agents announce their calls of the host's tool server as tool calls of their own. The host shows the call of
 * the client's or the host's tool instead. Here both are called a client's call. An announced call is held back until it is certain that no client's call belongs to
 * it: it has ended, or its turn has, and no client's call came.
 */
export class DuplicateToolCalls {
  readonly #tools: () => readonly HostTool[];
  readonly #duplicates = new Map<string, Duplicate>();
  /** Client calls that came before the agent announced them, by name of the tool. */
  readonly #early = new Map<string, number>();
  /**
   * Names of tools whose permission request was answered without a person. A person is asked about each
   * client's call of them.
   */
  readonly #asked = new Set<string>();

  constructor(tools: () => readonly HostTool[]) {
    this.#tools = tools;
  }

  /**
   * The fields to show for an announcement or an update of the agent; `undefined` when nothing is to be
   * shown.
   */
  shown(fields: ToolCallFields): ToolCallFields | undefined {
    const duplicate = this.#duplicates.get(fields.toolCallId) ?? this.#begin(fields, true);
    if (duplicate === undefined || duplicate.isShown) return fields;
    duplicate.fields = merged(duplicate.fields, fields);
    const title = duplicate.title === undefined ? {} : { title: duplicate.title };
    const isSame = isCallOf(duplicate.tool, { ...duplicate.fields, ...title });
    if (isSame && (!isEnd(fields) || duplicate.isClaimed)) return undefined;
    duplicate.isShown = true;
    return duplicate.fields;
  }

  /**
   * Takes a permission request of the agent. Returns `undefined` when it can only concern a client's tool: a
   * person is asked when the client's call comes. Otherwise returns the call to ask about.
   */
  asks(fields: ToolCallFields): ToolCallFields | undefined {
    const known = this.#duplicates.get(fields.toolCallId);
    if (known?.isShown === true) return fields;
    const all = merged(known?.fields, fields);
    const tool = this.#tools().find((each) => isSurelyCallOf(each, all));
    if (tool === undefined || (known !== undefined && known.tool.name !== tool.name)) {
      if (known !== undefined) known.isShown = true;
      return all;
    }
    const duplicate = known ?? this.#begin(all, false);
    if (duplicate === undefined) return all;
    duplicate.fields = all;
    // Agents ask before they call, so a client's call that came earlier was another one.
    duplicate.isClaimed = false;
    this.#asked.add(tool.name);
    return undefined;
  }

  /**
   * Takes an update of a call that is already shown. Qwen Code asks about a server's tool without naming the
   * server, so its request looks like a call of its own. Only its end shows that the client's call belonged
   * to it.
   */
  sawShown(fields: ToolCallFields): void {
    if (!isEnd(fields)) return;
    const name = this.#tools().find((tool) => isCallOf(tool, fields))?.name;
    const earlyCount = this.#early.get(name ?? '') ?? 0;
    if (name !== undefined && earlyCount > 0) this.#early.set(name, earlyCount - 1);
  }

  /**
   * A client's call has come. Returns true when the agent asked for permission and no person has answered.
   */
  claim(name: string): boolean {
    const duplicate = [...this.#duplicates.values()].find(
      (each) => each.tool.name === name && !each.isClaimed && !each.isShown,
    );
    if (duplicate === undefined) this.#early.set(name, (this.#early.get(name) ?? 0) + 1);
    else duplicate.isClaimed = true;
    return this.#asked.has(name);
  }

  /** The turn has ended: returns the calls that were held back without a client's call, to be shown now. */
  end(): ToolCallFields[] {
    const left = [...this.#duplicates.values()].filter(({ isClaimed, isShown }) => !isClaimed && !isShown);
    for (const duplicate of left) duplicate.isShown = true;
    return left.map(({ fields }) => fields);
  }

  #begin(fields: ToolCallFields, mayHaveCome: boolean): Duplicate | undefined {
    const tool = this.#tools().find((each) => isCallOf(each, fields));
    if (tool === undefined) return undefined;
    const earlyCount = mayHaveCome ? (this.#early.get(tool.name) ?? 0) : 0;
    const isClaimed = earlyCount > 0;
    if (isClaimed) this.#early.set(tool.name, earlyCount - 1);
    const duplicate = { tool, title: fields.title, fields, isClaimed, isShown: false };
    this.#duplicates.set(fields.toolCallId, duplicate);
    return duplicate;
  }
}

const isEnd = ({ status }: ToolCallFields): boolean => status === 'completed' || status === 'failed';

const merged = (known: ToolCallFields | undefined, fields: ToolCallFields): ToolCallFields => ({
  ...known,
  ...fields,
  meta: { ...known?.meta, ...fields.meta },
});
