/** The scanner as link-api calls it, in process and over HTTP. */
import { createServer } from 'node:http';
import { httpUrlScanner } from '@waypost/adapter-http';
import { type UrlScannerUnderTest, urlScannerContract } from '@waypost/contracts';
import type { UrlScanner } from '@waypost/ports';
import { listening, SILENT } from '@waypost/test-support';
import express from 'express';
import { type Kit, newScanner } from './scanner-kit.ts';

/** Connects to a scanner; `close` ends the connection. */
type Connect = (kit: Kit) => Promise<{ readonly scanner: UrlScanner; close(): Promise<void> }>;

const inProcess: Connect = async ({ scanner }) => ({ scanner, close: async () => undefined });
const overHttp: Connect = async ({ router }) => {
  const server = createServer(express().use(router));
  const url = `http://127.0.0.1:${await listening(server)}`;
  const scanner = httpUrlScanner({ url, logger: SILENT, budgetMs: 10_000 });
  return {
    scanner,
    async close() {
      await scanner.stop();
      server.close();
    },
  };
};

async function open(connect: Connect): Promise<UrlScannerUnderTest> {
  const kit = await newScanner();
  const empty = await newScanner({ shippedFeedsFile: '/nonexistent' });
  const connections = [await connect(kit), await connect(empty)] as const;
  const listed: string[] = [];
  return {
    scanner: connections[0].scanner,
    withoutData: connections[1].scanner,
    list: (url, threatType) => kit.list(`feed-${listed.push(url)}`, [url], { threatType }),
    close: async () => void (await Promise.all(connections.map(({ close }) => close()))),
  };
}

urlScannerContract('in process', () => open(inProcess));
urlScannerContract('over HTTP', () => open(overHttp));
