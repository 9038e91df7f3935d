import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { NO_ALLOWED_HOSTS } from '@waypost/domain';
import express from 'express';
import request from 'supertest';
import { endpoints } from '../endpoints/index.ts';
import { docs } from './docs.ts';

const addresses = { baseUrl: 'http://localhost:8080', redirectBaseUrl: 'http://localhost:8081' };
const served = endpoints({ registrableDomain: () => null, ownHosts: [], allowed: NO_ALLOWED_HOSTS });
const app = express().use(docs(served, addresses));

describe('/openapi.json', () => {
  test('serves the document with the address of this installation', async () => {
    const { body } = await request(app)
      .get('/openapi.json')
      .expect(200)
      .expect('Content-Type', /^application\/json/);
    expect(body).toMatchObject({ openapi: '3.1.1', servers: [{ url: 'http://localhost:8080' }] });
  });
});

describe('/docs', () => {
  const page = () =>
    request(app)
      .get('/docs')
      .expect(200)
      .expect('Content-Type', /^text\/html/);

  test('allows its own style and its icon, and nothing else', async () => {
    const { text, headers } = await page();
    const [, style] = /<style>(.*?)<\/style>/s.exec(text)!;
    const hash = createHash('sha256').update(style!).digest('base64');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
    );
    expect(text).not.toMatch(/<script|\sstyle=|\son\w+=|src=|@import|url\(/i);
  });

  test('each link within it has a target, and ids are unique', async () => {
    const { text } = await page();
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const targets = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(targets.length).toBeGreaterThan(30);
    expect(targets.filter((id) => !ids.includes(id))).toEqual([]);
  });

  test('documents every endpoint, with parameters, errors and examples in three languages', async () => {
    const { text } = await page();
    for (const words of [
      '/api/v1/links/{slug}/analytics',
      '/api/v1/admin/links/{slug}/review',
      'Idempotency-Key',
      'X-RateLimit-Remaining',
      '429 rate_limited',
      'curl -X POST http://localhost:8080/api/v1/links ',
      'waypost create https://www.wikipedia.org/',
      'await fetch(&quot;http://localhost:8080/api/v1/links&quot;',
    ]) {
      expect(text).toContain(words);
    }
    expect(text).not.toMatch(/undefined|\[object/);
  });

  test('headings go down one step at a time', async () => {
    const { text } = await page();
    const levels = [...text.slice(text.indexOf('<main')).matchAll(/<h(\d)/g)].map(([, level]) => Number(level));
    expect(levels[0]).toBe(1);
    for (const [i, level] of levels.entries()) if (i > 0) expect(level - levels[i - 1]!).toBeLessThanOrEqual(1);
  });

  test('escapes its input', async () => {
    const hostile = express().use(
      docs(served, { baseUrl: 'http://a/"><script>', redirectBaseUrl: "http://b/'<img src=x>&" }),
    );
    const { text } = await request(hostile).get('/docs').expect(200);
    expect(text).not.toMatch(/<script|<img/);
    expect(text).toContain('http://a/&quot;&gt;&lt;script&gt;');
  });

  test('answers GET and HEAD only', async () => {
    await request(app).head('/docs').expect(200);
    await request(app).head('/openapi.json').expect(200);
    await request(app).post('/docs').expect(405).expect('Allow', 'GET, HEAD');
  });
});
