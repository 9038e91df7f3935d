import { BlockList } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { analyticsRecord, type Link, NO_ALLOWED_HOSTS } from '@waypost/domain';
import { createMetrics, type Logger } from '@waypost/telemetry';
import { Ajv2020 } from 'ajv/dist/2020.js';
import express from 'express';
import request from 'supertest';
import { newLink } from '../../../test/links.ts';
import { declared } from '../../app.ts';
import { presentBulk, presentCreated, presentLink } from '../../links/links.schema.ts';
import type { Endpoint } from '../endpoint.ts';
import { endpointHandlers } from '../http/endpoint-handler.ts';
import { errorAnswer, errorHandler, errorReporter, HttpError } from '../http/errors.ts';
import { router } from '../http/router.ts';
import { input, readBody, readQuery } from '../input.ts';
import { slotsByConcurrency } from '../limits.ts';
import { apiCounts } from '../metrics.ts';
import { docs } from './docs.ts';
import type { Schema } from './json-schema.ts';
import { type Operation, openApiDocument } from './openapi.ts';

const api = declared({ registrableDomain: () => 'example.com', ownHosts: [], allowed: NO_ALLOWED_HOSTS });
const served = api.endpoints;
const deps = {
  counts: apiCounts(createMetrics()),
  slotsOf: slotsByConcurrency(),
  noteRefusal: async () => undefined,
  now: () => new Date(),
  baseUrl: 'http://localhost:8080',
  trustedProxies: new BlockList(),
  countryOf: () => 'ZZ',
  authentication: {
    credentialOf: () => undefined,
    authenticate: async () => {
      throw new HttpError(401, 'no key');
    },
  },
};
const addresses = { baseUrl: 'http://localhost:8080', redirectBaseUrl: 'http://localhost:8081' };
const app = express().use(
  docs(api, addresses),
  router(served.map((endpoint) => ({ endpoint, handle: async () => ({}) })).map(endpointHandlers(deps)), deps),
  errorHandler(errorAnswer(errorReporter({ error: () => undefined } as unknown as Logger, api.errors))),
);
type Content = Operation['responses'][string]['content'];

const endpointOf = ({ operationId }: Operation): Endpoint => served.find(({ id }) => id === operationId)!;
const document = openApiDocument(api, addresses);
const { schemas, parameters } = document.components;

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Makes a schema for Ajv that refuses a field which is not described. */
function closed(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema), (name, value) => {
    if (name === '$ref') return `api${value}`;
    const isOpen = value?.properties !== undefined && value.additionalProperties === undefined;
    return isOpen ? { ...value, additionalProperties: false } : value;
  });
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema(closed(document), 'api');

function differences(schema: Schema, value: unknown): string[] {
  if (ajv.validate(closed(schema), JSON.parse(JSON.stringify(value)))) return [];
  return ajv.errors!.map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
}

describe('the document', () => {
  test('is valid OpenAPI 3.1, and its examples fit their schemas', async () => {
    const config = await createConfig({
      extends: ['spec'],
      rules: { 'no-invalid-media-type-examples': 'error', 'no-invalid-parameter-examples': 'error' },
    });
    const problemsOf = async (source: object) => {
      const problems = await lintFromString({ source: JSON.stringify(source), config });
      return problems.map(({ ruleId, message, location: [at] }) => `${ruleId}: ${message} ${at?.pointer}`);
    };
    expect(await problemsOf(document)).toEqual([]);
    const { title: _title, ...untitled } = document.info;
    expect(await problemsOf({ ...document, info: untitled })).toHaveLength(1);
  });

  test('is served with the addresses of this installation', async () => {
    const { body } = await request(app)
      .get('/openapi.json')
      .expect(200)
      .expect('Content-Type', /^application\/json/);
    expect(body).toMatchObject({ openapi: '3.1.1', servers: [{ url: 'http://localhost:8080' }] });
    expect(body.info.description).toMatch(/`http:\/\/localhost:8081`.*`http:\/\/localhost:8080\/mcp`/s);
    expect(body.info.description).not.toMatch(/undefined|\[object|base_url\}/);
  });

  test('is checked for missing fields and fields that are not described', () => {
    const error = { error: 'bad_request', message: 'no', status: 400 };
    expect(differences(schemas.Error!, error)).toEqual([]);
    expect(differences(schemas.Error!, { ...error, more: 1 })).toHaveLength(1);
    expect(differences(schemas.Error!, { error: 'bad_request', message: 'no' })).toHaveLength(1);
  });

  test('contains every route and no others', async () => {
    const client = request(app);
    for (const [path, methods] of Object.entries(document.paths)) {
      const address = path.replace(/\{\w+\}/g, 'aB3dE6g');
      for (const method of ['get', 'post', 'put', 'patch', 'delete'] as const) {
        const { status } = await client[method](address).set('Sec-Fetch-Site', 'cross-site');
        if (!(method in methods)) expect([method, path, status]).toEqual([method, path, 405]);
        else {
          const refused = path.startsWith('/api/') ? 401 : 403;
          expect([method, path, status]).toEqual([
            method,
            path,
            path.startsWith('/api/') || method !== 'get' ? refused : 200,
          ]);
        }
      }
    }
  });

  test('has 401 and 403 for each operation that needs a key', () => {
    for (const { operation } of operations.filter(({ path }) => path.startsWith('/api/'))) {
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['400', '401', '403', '500', '503']));
      const [{ bearer, session } = {}] = operation.security;
      expect(['admin', 'any', 'read', 'read,write', 'write']).toContain((bearer ?? session ?? []).join());
    }
  });
});

function parametersOf({ parameters: refs }: Operation) {
  return refs.map(({ $ref }) => parameters[$ref.split('/').at(-1)!]!);
}

describe('examples', () => {
  const contents = operations.flatMap(({ operation }): [string, Content][] => [
    ...(operation.requestBody === undefined
      ? []
      : [[`${operation.operationId} request`, operation.requestBody.content] as [string, Content]]),
    ...Object.entries(operation.responses).map(([status, { content }]): [string, Content] => [
      `${operation.operationId} ${status}`,
      content,
    ]),
  ]);

  const inJson = contents.flatMap(([name, { 'application/json': json }]) => (json ? [[name, json] as const] : []));
  test.each(inJson)('%s has the documented fields', (_name, { schema, examples }) => {
    expect(Object.keys(examples).length).toBeGreaterThan(0);
    for (const { value } of Object.values(examples)) expect(differences(schema, value)).toEqual([]);
  });

  test('of errors have the status of their response, and an error_id from 500 on', () => {
    for (const { operation } of operations) {
      for (const [status, { content }] of Object.entries(operation.responses)) {
        for (const { value } of Object.values(content['application/json']?.examples ?? {})) {
          const error = value as { status?: unknown; error?: string; error_id?: string };
          if (status < '400' || error.error === undefined) continue;
          expect(error.status).toBe(Number(status));
          expect(error.error_id !== undefined).toBe(Number(status) >= 500);
        }
      }
    }
  });

  test('of request bodies are accepted', () => {
    for (const { operation } of operations.filter(({ operation }) => operation.requestBody !== undefined)) {
      for (const { value } of Object.values(operation.requestBody!.content['application/json']!.examples)) {
        expect(readBody(endpointOf(operation).body!, value)).toBeDefined();
      }
    }
  });
});

describe('the service answers as documented', () => {
  const now = new Date('2026-11-21T12:00:00.000Z');
  const { link } = newLink({ tags: ['t'], threatType: 'phishing' }, now);
  const unmade: Omit<Link, 'slug'> & { slug: null } = { ...link, slug: null };
  const figures = {
    total_clicks: 1,
    unique_visitors: 1,
    bot_clicks: 0,
    imported_clicks: 1,
    days: [],
    top_referrers: [{ referrer: 'direct', count: 1 }],
    top_countries: [{ country: 'DE', count: 1 }],
    top_devices: [{ device: 'mobile', count: 1 }],
    top_browsers: [{ browser: 'Firefox', count: 1 }],
  };

  test.each([
    ['Link', presentLink(link)],
    ['Created', presentCreated(link, 'http://s')],
    ['CreatedMany', presentBulk([link], 'http://s', 1)],
    ['CheckedLink', presentLink(unmade)],
    ['Checked', presentCreated(unmade, 'http://s')],
    ['CheckedMany', presentBulk([unmade], 'http://s', 0)],
    ['Analytics', { slug: 'aB3dE6g', ...analyticsRecord('7d', now, figures) }],
  ])('%s', (name, value) => {
    expect(differences(schemas[name]!, value)).toEqual([]);
    expect(Object.keys(schemas[name]!.properties!).sort()).toEqual(Object.keys(value).sort());
  });

  test('every value of every query parameter is accepted', () => {
    for (const { operation } of operations) {
      const declared = parametersOf(operation).filter((each) => each.in === 'query');
      const needed = Object.fromEntries(declared.flatMap((each) => (each.required ? [[each.name, each.example]] : [])));
      for (const { name, schema, example } of declared) {
        for (const value of schema.enum ?? [example]) {
          const query = { ...needed, [name]: [value].flat().map(String)[0]! };
          const read = () => readQuery(input(endpointOf(operation).query), query);
          expect(read).not.toThrow();
        }
      }
    }
  });
});
