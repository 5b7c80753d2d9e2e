import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChildRegistry } from '@agenthost/host/agent';
import { afterEach } from 'vitest';
import type { AcpAgentConfig } from '../src/acp/config/config.ts';
import { type AcpProvider, type AcpProviderOptions, createAcpProvider } from '../src/acp/provider.ts';
import type { AcpTimers } from '../src/acp/runtime.ts';
import type { Offer, Step } from './acp-scripted-agent.ts';

/** Recordings of real agents, next to the repository; see `capturesAreThere`. */
export const capturesFolder = fileURLToPath(new URL('../../../../shared/acp-captures/', import.meta.url));

/** Whether the recordings exist. With `REQUIRE_ALL=1` it is a failure when they do not. */
export const capturesAreThere = existsSync(capturesFolder);
if (!capturesAreThere) {
  if (process.env['REQUIRE_ALL'] === '1') throw new Error(`${capturesFolder} is required and absent`);
  console.warn(`skipped: no recordings of agents in ${capturesFolder}`);
}

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Creates a folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-acp-')));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A registry that remembers running processes. */
export class RunningChildren implements ChildRegistry {
  readonly running = new Set<number>();
  readonly all: number[] = [];

  async record(child: { pid: number }): Promise<void> {
    this.running.add(child.pid);
    this.all.push(child.pid);
  }

  forget(pid: number): void {
    this.running.delete(pid);
  }
}

/** A provider for `node <script> <args>`, disposed after the test. */
export function nodeAgent(
  script: string,
  args: readonly string[],
  config: Partial<AcpAgentConfig> = {},
  options: Partial<AcpProviderOptions> = {},
): AcpProvider {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const provider = createAcpProvider(
    { id: 'test', displayName: 'Test agent', ...config, command: process.execPath, args: [file, ...args] },
    { childRegistry: new RunningChildren(), ...options },
  );
  cleanups.push(() => provider.dispose());
  return provider;
}

/** Timers that fire when a test lets time pass. */
export class ManualTimers implements AcpTimers {
  #now = 0;
  #waiting: { readonly at: number; readonly callback: () => void }[] = [];

  after(delayMs: number, callback: () => void): () => void {
    const entry = { at: this.#now + delayMs, callback };
    this.#waiting.push(entry);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== entry);
    };
  }

  /** Delays of pending timers, from now. */
  get waitingMs(): number[] {
    return this.#waiting.map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }

  advance(ms: number): void {
    this.#now += ms;
    const due = this.#waiting.filter(({ at }) => at <= this.#now);
    this.#waiting = this.#waiting.filter(({ at }) => at > this.#now);
    for (const { callback } of due) callback();
  }
}

/** A scripted agent; see `acp-scripted-agent.ts`. */
export function scriptedAgent(
  offer: Offer = {},
  config: Partial<AcpAgentConfig> = {},
  options: Partial<AcpProviderOptions> = {},
): AcpProvider {
  return nodeAgent('./acp-scripted-agent.ts', [JSON.stringify(offer)], config, options);
}

/** A prompt that makes the scripted agent run these steps. */
export function steps(...list: Step[]): string {
  return JSON.stringify(list);
}

/** A `session/update` of a tool call. */
export function toolCall(id: string, fields: object = {}, kind = 'tool_call'): Step {
  return { update: { sessionUpdate: kind, toolCallId: id, ...fields } };
}

/**
 * A permission request with these options, each `kind:id` or `kind:id:name`. The agent waits for the answer.
 */
export function permission(id: string, options: readonly string[], fields: object = {}): Step {
  return { ask: permissionRequest(id, options, fields) };
}

/** A permission request after which the agent continues without waiting. */
export function requested(id: string, options: readonly string[]): Step {
  return { request: permissionRequest(id, options, {}) };
}

function permissionRequest(
  id: string,
  options: readonly string[],
  fields: object,
): { method: string; params: object } {
  return {
    method: 'session/request_permission',
    params: {
      toolCall: { toolCallId: id, title: `Do ${id}`, kind: 'execute', ...fields },
      options: options.map((option) => {
        const [kind, optionId, name] = option.split(':');
        return { kind, optionId, name: name ?? optionId };
      }),
    },
  };
}
