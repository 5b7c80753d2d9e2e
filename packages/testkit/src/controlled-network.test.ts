import { describe, expect, test } from 'vitest';
import { Link } from './controlled-network.ts';

function listen(end: Link['client'] | Link['host']): string[] {
  const heard: string[] = [];
  end.start({
    onFrame: (frame) => heard.push(frame),
    onClose: ({ code }) => heard.push(`closed ${code}`),
  });
  return heard;
}

describe('a link', () => {
  test('delivers each direction in order, and only when the test says so', () => {
    const link = new Link();
    const atHost = listen(link.host);
    const atClient = listen(link.client);
    link.client.send('a');
    link.client.send('b');
    link.host.sendBytes(new TextEncoder().encode('ü'));
    expect([atHost, atClient]).toEqual([[], []]);
    expect(link.toHost.deliver(1)).toBe(1);
    expect([atHost, atClient]).toEqual([['a'], []]);
    link.deliverAll();
    expect([atHost, atClient]).toEqual([['a', 'b'], ['ü']]);
  });

  test('a close arrives after the frames sent before it, and no frame arrives after it', () => {
    const link = new Link();
    const atHost = listen(link.host);
    listen(link.client);
    link.client.send('last');
    link.client.close(4000);
    link.client.send('never');
    link.deliverAll();
    expect(atHost).toEqual(['last', 'closed 4000']);
    expect(link.isOpen).toBe(false);
  });

  test('a cut loses undelivered frames and closes both ends', () => {
    const link = new Link();
    const atHost = listen(link.host);
    const atClient = listen(link.client);
    link.client.send('lost');
    link.host.send('lost');
    link.cut();
    link.deliverAll();
    expect([atHost, atClient]).toEqual([['closed 1006'], ['closed 1006']]);
  });

  test('half open: the client is closed and the host keeps sending', () => {
    const link = new Link();
    const atHost = listen(link.host);
    const atClient = listen(link.client);
    link.loseClient();
    link.host.send('void');
    expect(link.host.bufferedBytes).toBe(4);
    link.deliverAll();
    expect(link.host.bufferedBytes).toBe(0);
    expect([atHost, atClient]).toEqual([[], ['closed 1006']]);
    expect(link.isOpen).toBe(true);
  });

  test('the sender counts undelivered bytes as buffered, and the last delivery is a drain', () => {
    const link = new Link();
    listen(link.client);
    let drainCount = 0;
    link.host.onDrain(() => {
      drainCount += 1;
    });
    link.host.send('12345');
    link.host.send('678');
    expect(link.host.bufferedBytes).toBe(8);
    link.toClient.deliver(1);
    expect([link.host.bufferedBytes, drainCount]).toEqual([3, 0]);
    link.toClient.deliver();
    expect([link.host.bufferedBytes, drainCount]).toEqual([0, 1]);
  });
});
