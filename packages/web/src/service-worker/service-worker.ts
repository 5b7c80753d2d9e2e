/// <reference lib="webworker" />
import { chooseNotification, receivePush } from './push.ts';
import { answerFromCache, dropOldCaches, fillCache } from './shell-cache.ts';

declare const self: ServiceWorkerGlobalScope;

self.addEventListener('install', (event) => {
  event.waitUntil(fillCache(self.registration.scope).then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(dropOldCaches(self.registration.scope).then(() => self.clients.claim()));
});

self.addEventListener('fetch', (event) => {
  const answer = answerFromCache(event.request, self.registration.scope);
  if (answer !== undefined) event.respondWith(answer);
});

self.addEventListener('push', (event) => {
  event.waitUntil(receivePush(event.data));
});

self.addEventListener('notificationclick', (event) => {
  event.waitUntil(chooseNotification(event.notification, event.action));
});
