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
  test('delivers each direction in order and only when told to', () => {
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

  test('a close arrives behind what was sent before it, and nothing after it', () => {
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

  test('a cut loses what is under way and both ends hear of it', () => {
    const link = new Link();
    const atHost = listen(link.host);
    const atClient = listen(link.client);
    link.client.send('lost');
    link.host.send('lost');
    link.cut();
    link.deliverAll();
    expect([atHost, atClient]).toEqual([['closed 1006'], ['closed 1006']]);
  });

  test('half open: the client has gone and the host still writes into the void', () => {
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

  test('bytes under way are what the sender has buffered, and their leaving is a drain', () => {
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
