import { expect, test } from '@jest/globals';
import { NO_ALLOWED_HOSTS } from '@waypost/domain';
import express from 'express';
import request from 'supertest';
import { endpoints } from '../endpoints/index.ts';
import { docs } from './docs.ts';

const served = endpoints({ registrableDomain: () => null, ownHosts: [], allowed: NO_ALLOWED_HOSTS });
const app = express().use(docs(served, { baseUrl: 'http://a:8080', redirectBaseUrl: 'http://b:8081' }));

test('serves the document with the addresses of this installation', async () => {
  const { body } = await request(app)
    .get('/openapi.json')
    .expect(200)
    .expect('Content-Type', /^application\/json/);
  expect(body).toMatchObject({ openapi: '3.1.1', servers: [{ url: 'http://a:8080' }] });
  expect(body.info.description).toMatch(/`http:\/\/b:8081`.*`http:\/\/a:8080\/mcp`/s);
  expect(body.info.description).not.toMatch(/undefined|\[object|base_url\}/);
});

test('answers GET and HEAD only', async () => {
  await request(app).head('/openapi.json').expect(200);
  await request(app).post('/openapi.json').expect(405).expect('Allow', 'GET, HEAD');
});
