import { expect, test } from 'vitest';
import { readEnvironment } from './environment.ts';

test('nothing is sent without an endpoint', () => {
  const { endpoints, problems, recordsContents } = readEnvironment({ OTEL_SERVICE_NAME: 'x', PATH: '/bin' });
  expect(endpoints).toEqual({});
  expect(problems).toEqual([]);
  expect(recordsContents).toBe(false);
});

test('the general endpoint gets the path of each signal, and an own endpoint is used unchanged', () => {
  const { endpoints, problems } = readEnvironment({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/base/',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example.org/in',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b,x=1',
    OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'x=2',
    OTEL_EXPORTER_OTLP_TIMEOUT: '3000',
    OTEL_EXPORTER_OTLP_LOGS_TIMEOUT: '500',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
  });
  const common = { timeoutMs: 3_000, isCompressed: true };
  expect(endpoints).toEqual({
    traces: { ...common, url: 'https://traces.example.org/in', headers: { 'api-key': 'a b', x: '1' } },
    logs: {
      ...common,
      url: 'http://collector:4318/base/v1/logs',
      headers: { 'api-key': 'a b', x: '2' },
      timeoutMs: 500,
    },
  });
  expect(problems).toEqual([]);
});

test('OTEL_SDK_DISABLED ends sending', () => {
  const env = { OTEL_SDK_DISABLED: 'TRUE', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
  expect(readEnvironment(env).endpoints).toEqual({});
});

test.each([
  [
    { OTEL_BSP_MAX_QUEUE_SIZE: 'many' },
    'OTEL_BSP_MAX_QUEUE_SIZE: expected a whole number from 1 to 86400000',
  ],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'expected an http or https URL, got "collector:4318"'],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    'it speaks OTLP over HTTP as JSON, not "grpc"',
  ],
  [{ OTEL_SDK_DISABLED: 'yes' }, 'OTEL_SDK_DISABLED: expected true or false, got "yes"'],
])('a wrong variable %o is told and counts as absent', (env, problem) => {
  const { endpoints, problems } = readEnvironment(env);
  expect(endpoints).toEqual({});
  expect(problems.join()).toContain(problem);
});

test('a wrong header is told without its value, which may be a secret', () => {
  const { problems } = readEnvironment({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c',
    OTEL_EXPORTER_OTLP_HEADERS: 'secret',
    OTEL_RESOURCE_ATTRIBUTES: 'a=%E0%A4%A',
  });
  expect(problems.length).toBeGreaterThan(1);
  expect(problems.join()).not.toContain('secret,');
  expect(problems.join()).toContain('OTEL_EXPORTER_OTLP_HEADERS: an entry was ignored: expected name=value');
});

test('the service name replaces that of the resource attributes', () => {
  const env = { OTEL_RESOURCE_ATTRIBUTES: 'service.name=a,team=b%2Cc', OTEL_SERVICE_NAME: 'mine' };
  expect(readEnvironment(env).resource).toEqual({ 'service.name': 'mine', team: 'b,c' });
});
