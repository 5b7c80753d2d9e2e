import type { Client, Prompt, Resource } from '@modelcontextprotocol/client';

const MAX_ITEMS = 1_000;

/** The resources and prompts of a connected server. Read on first use, and again after the server has said that they changed. */
export class ServerLists {
  readonly #client: Client;
  #resources: Promise<readonly Resource[]> | undefined;
  #prompts: Promise<readonly Prompt[]> | undefined;

  /** `resourcesChanged`: the server has said that its resources changed. */
  constructor(client: Client, resourcesChanged: () => void) {
    this.#client = client;
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      this.#resources = undefined;
      resourcesChanged();
    });
    client.setNotificationHandler('notifications/prompts/list_changed', () => {
      this.#prompts = undefined;
    });
  }

  /** Rejects when the server does not list them. */
  resources(): Promise<readonly Resource[]> {
    if (this.#client.getServerCapabilities()?.resources === undefined) return Promise.resolve([]);
    this.#resources ??= this.#client
      .listResources(undefined, { cacheMode: 'refresh' })
      .then(({ resources }) => resources.slice(0, MAX_ITEMS));
    this.#resources.catch(() => {
      this.#resources = undefined;
    });
    return this.#resources;
  }

  /** Rejects when the server does not list them. */
  prompts(): Promise<readonly Prompt[]> {
    if (this.#client.getServerCapabilities()?.prompts === undefined) return Promise.resolve([]);
    this.#prompts ??= this.#client
      .listPrompts(undefined, { cacheMode: 'refresh' })
      .then(({ prompts }) => prompts.slice(0, MAX_ITEMS));
    this.#prompts.catch(() => {
      this.#prompts = undefined;
    });
    return this.#prompts;
  }
}
