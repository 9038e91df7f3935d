import { expect, test } from '@jest/globals';
import request from 'supertest';
import { depsWith } from '../test/link-api-under-test.ts';
import { createLinkApi, declared } from './app.ts';
import { openApiDocument } from './platform/openapi/openapi.ts';

test('what the slices serve is what is declared for the SDK and the command line', async () => {
  const ports = depsWith({ audit: {}, imports: {}, outbox: {}, cases: {}, keys: {}, webhookQueue: {}, sessions: {} });
  const { body } = await request(createLinkApi(ports).app).get('/openapi.json');
  expect(body).toEqual(JSON.parse(JSON.stringify(openApiDocument(declared(ports.urlPolicy), ports))));
});
