/// <reference lib="webworker" />
export type ServiceWorkerModule = true;

declare const self: ServiceWorkerGlobalScope;

// A new version takes over at the next visit of the page.
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
