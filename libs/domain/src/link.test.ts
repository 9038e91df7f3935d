import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { DomainError } from './errors.ts';
import {
  assertFlagged,
  cleared,
  created,
  edited,
  ended,
  endProblem,
  erased,
  flagged,
  type Link,
  type LinkChange,
  type NewLink,
  recordAt,
  redirectRecord,
  reported,
  revoked,
  takenDown,
  unflagged,
} from './link.ts';
import { THREAT_TYPES } from './threat.ts';

const BORN = new Date('2026-11-21T10:00:00.000Z');
const LATER = new Date('2026-11-21T11:30:00.123Z');

const NEW: NewLink = {
  slug: 'summer',
  ownerId: 'owner-1',
  destinationUrl: 'https://example.com/a',
  tags: ['one', 'two'],
  threatType: null,
  scanGeneration: 'g1',
};
const FOUND = {
  threatType: 'phishing',
  reasons: [{ rule: 'feed:x', evidence: 'example.com/' }],
  generation: 'g2',
} as const;

const active = (): Link => created(NEW, BORN).link;
const flaggedLink = (): Link => created({ ...NEW, threatType: 'malware' }, BORN).link;
const revokedLink = (): Link => revoked(active(), LATER).link;

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as DomainError).code;
  }
  return 'nothing was thrown';
}

describe('a new link', () => {
  test('is active when its scan detected nothing', () => {
    expect(active()).toEqual({
      ...NEW,
      title: null,
      note: null,
      endsAt: null,
      status: 'active',
      takeDownReason: null,
      createdAt: BORN,
      updatedAt: BORN,
      revokedAt: null,
      scannedAt: BORN,
      version: 1,
    });
  });

  test('is flagged when its scan detected a threat', () => {
    expect(flaggedLink()).toMatchObject({ status: 'flagged', threatType: 'malware', revokedAt: null, version: 1 });
  });

  test('has an event with everything that a consumer needs', () => {
    expect(created(NEW, BORN).event).toEqual({
      v: 1,
      type: 'link.created',
      slug: 'summer',
      destination_url: 'https://example.com/a',
      status: 'active',
      threat_type: null,
      version: 1,
      scan_generation: 'g1',
      at: '2026-11-21T10:00:00.000Z',
    });
  });
});

describe('revoking', () => {
  test('sets revoked_at and updated_at of an active link to the same time and changes nothing else', () => {
    const { link, event } = revoked(active(), LATER);
    expect(link).toEqual({ ...active(), status: 'revoked', revokedAt: LATER, updatedAt: LATER, version: 2 });
    expect(event).toMatchObject({ type: 'link.revoked', status: 'revoked', version: 2, at: LATER.toISOString() });
  });

  test('is refused for a revoked link and for a flagged link (States, rules 1 to 3)', () => {
    expect(codeOf(() => revoked(revokedLink(), LATER))).toBe('link_already_revoked');
    expect(codeOf(() => revoked(flaggedLink(), LATER))).toBe('link_flagged');
  });
});

describe('a later scan that finds a threat', () => {
  test('flags an active link and records the generation of the threat database', () => {
    const change = flagged(active(), FOUND, LATER)!;
    expect(change.link).toEqual({
      ...active(),
      status: 'flagged',
      threatType: 'phishing',
      updatedAt: LATER,
      scannedAt: LATER,
      scanGeneration: 'g2',
      version: 2,
    });
    expect(change.event).toMatchObject({ type: 'link.flagged', threat_type: 'phishing', scan_generation: 'g2' });
  });

  test.each([revokedLink, flaggedLink])('does not change any other link: %p', (link) => {
    expect(flagged(link(), FOUND, LATER)).toBeUndefined();
  });
});

describe('a take-down', () => {
  const threat = { threatType: 'policy_violation', reason: 'Not here.' } as const;

  test.each([
    ['an active', active],
    ['a flagged', flaggedLink],
  ])('flags %s link, with its reason', (_name, link) => {
    const change = takenDown(link(), threat, LATER);
    expect(change.link).toEqual({
      ...link(),
      status: 'flagged',
      threatType: 'policy_violation',
      takeDownReason: 'Not here.',
      updatedAt: LATER,
      version: 2,
    });
    expect(change.event).toMatchObject({ type: 'link.flagged', status: 'flagged', threat_type: 'policy_violation' });
  });

  test('of a revoked link is an error', () => {
    expect(codeOf(() => takenDown(revokedLink(), threat, LATER))).toBe('link_already_revoked');
  });

  test('ends when a review clears the link', () => {
    const { link } = cleared(takenDown(active(), threat, LATER).link, LATER);
    expect(link).toMatchObject({ status: 'active', threatType: null, takeDownReason: null, version: 3 });
  });
});

describe('a review', () => {
  test('that clears a flagged link makes it active and removes the threat type', () => {
    const { link, event } = cleared(flaggedLink(), LATER);
    expect(link).toEqual({ ...flaggedLink(), status: 'active', threatType: null, updatedAt: LATER, version: 2 });
    expect(event).toMatchObject({ type: 'link.cleared', status: 'active', threat_type: null, version: 2 });
  });

  test('of a link that is not flagged is an error', () => {
    expect(codeOf(() => cleared(active(), LATER))).toBe('link_not_flagged');
    expect(codeOf(() => cleared(revokedLink(), LATER))).toBe('link_not_flagged');
    expect(codeOf(() => assertFlagged(active()))).toBe('link_not_flagged');
    expect(() => assertFlagged(flaggedLink())).not.toThrow();
  });
});

describe('after any sequence of changes to a link', () => {
  type Step = (link: Link, at: Date) => LinkChange | undefined;
  const STEPS: Record<string, Step> = {
    revoke: (link, at) => revoked(link, at),
    flag: (link, at) => flagged(link, FOUND, at),
    clear: (link, at) => cleared(link, at),
    takeDown: (link, at) => takenDown(link, { threatType: 'spam', reason: 'x' }, at),
  };
  const histories = fc.array(fc.constantFrom(...Object.keys(STEPS)), { maxLength: 12 });
  const births = fc.constantFrom(null, ...THREAT_TYPES);

  function live(threatType: NewLink['threatType'], steps: readonly string[]): LinkChange[] {
    const changes = [created({ ...NEW, threatType }, BORN)];
    for (const [i, name] of steps.entries()) {
      try {
        const change = STEPS[name]!(changes.at(-1)!.link, new Date(BORN.getTime() + i + 1));
        if (change !== undefined) changes.push(change);
      } catch {
        // A refused step changes nothing.
      }
    }
    return changes;
  }

  test('each change has increased the version by one and has one event with the same version and state', () => {
    fc.assert(
      fc.property(births, histories, (threatType, steps) => {
        for (const [i, { link, event }] of live(threatType, steps).entries()) {
          expect(link.version).toBe(i + 1);
          expect(event).toMatchObject({
            version: link.version,
            status: link.status,
            threat_type: link.threatType,
            at: link.updatedAt.toISOString(),
          });
        }
      }),
    );
  });

  test('the link never left the state revoked', () => {
    fc.assert(
      fc.property(births, histories, (threatType, steps) => {
        const states = live(threatType, steps).map(({ link }) => link.status);
        const at = states.indexOf('revoked');
        expect(at === -1 || at === states.length - 1).toBe(true);
      }),
    );
  });

  test('only a flagged link has a threat type, and only a revoked link has revoked_at', () => {
    fc.assert(
      fc.property(births, histories, (threatType, steps) => {
        for (const { link } of live(threatType, steps)) {
          expect(link.threatType !== null).toBe(link.status === 'flagged');
          expect(link.revokedAt !== null).toBe(link.status === 'revoked');
          expect(link).toMatchObject({ slug: NEW.slug, ownerId: NEW.ownerId, createdAt: BORN, tags: NEW.tags });
        }
      }),
    );
  });
});

test('the redirector’s record contains what a redirect and its click need', () => {
  expect(redirectRecord(revokedLink())).toEqual({
    slug: 'summer',
    ownerId: revokedLink().ownerId,
    status: 'revoked',
    destinationUrl: 'https://example.com/a',
    threatType: null,
    revokedAt: LATER.toISOString(),
    scannedAt: BORN.toISOString(),
    version: 2,
  });
});

describe('a flag whose source no longer lists the URL', () => {
  const FEED = { rule: 'feed:x', evidence: 'example.com/', threat_type: 'malware' } as const;
  const RULE = { rule: 'ip-host', evidence: '203.0.113.7', threat_type: 'suspicious' } as const;
  const PROVIDER = { rule: 'provider:p', evidence: 'example.com/', threat_type: 'malware' } as const;
  const GONE = { sources: ['feed:x'], generation: 'g9' };
  const by = (...reasons: { rule: string; evidence: string; threat_type?: 'malware' | 'suspicious' }[]) => ({
    reasons,
    keptByReview: false,
  });

  test('is removed if only lists caused it, and the event names the generation of the scan', () => {
    const current = flaggedLink();
    const gone = { ...GONE, sources: ['feed:x', 'feed:y', 'feed:z'] };
    const change = unflagged(current, by(FEED, { ...FEED, rule: 'feed:y' }), gone, LATER);
    expect(change?.link).toEqual({
      ...current,
      status: 'active',
      threatType: null,
      updatedAt: LATER,
      scannedAt: LATER,
      scanGeneration: 'g9',
      version: 2,
    });
    expect(change?.event).toMatchObject({ type: 'link.cleared', status: 'active', scan_generation: 'g9', version: 2 });
  });

  test.each([
    ['a rule caused it, too', by(FEED, RULE)],
    ['a provider caused it, too, and was not asked again', by(FEED, PROVIDER)],
    ['another feed still lists the URL', by(FEED, { ...FEED, rule: 'feed:y' })],
    ['its reasons are unknown', by()],
    [
      'the scan at creation had several reasons',
      by({ rule: 'feed:x', evidence: 'e' }, { rule: 'ip-host', evidence: 'e' }),
    ],
    ['a review confirmed it', { ...by(FEED), keptByReview: true }],
  ])('stays if %s', (_, flag) => {
    expect(unflagged(flaggedLink(), flag, GONE, LATER)).toBeUndefined();
  });

  test('is removed if its provider no longer lists the URL and no feed does', () => {
    const gone = { ...GONE, sources: ['provider:p'] };
    expect(unflagged(flaggedLink(), by(PROVIDER), gone, LATER)?.link.status).toBe('active');
    expect(unflagged(flaggedLink(), by(PROVIDER, FEED), gone, LATER)).toBeUndefined();
  });

  test('stays if an operator took the link down; a link without a flag does not change', () => {
    const down = takenDown(active(), { threatType: 'malware', reason: 'seen' }, LATER).link;
    for (const link of [down, active(), revokedLink()]) expect(unflagged(link, by(FEED), GONE, LATER)).toBeUndefined();
  });
});

test('a report has an event but does not change the link', () => {
  const link = active();
  expect(reported(link, LATER)).toEqual({
    ...created(NEW, BORN).event,
    type: 'link.reported',
    at: LATER.toISOString(),
  });
});

describe('an edit', () => {
  const edit = { title: 'Menu', note: 'On the\nposters', tags: ['one', 'three'] };

  test('changes what differs and the time of the last change, and nothing that visitors or consumers see', () => {
    for (const current of [active(), flaggedLink()]) {
      const update = edited(current, edit, LATER)!;
      expect(update).toEqual({ link: { ...current, ...edit, updatedAt: LATER } });
      expect(redirectRecord(update.link)).toEqual(redirectRecord(current));
      expect(edited(update.link, edit, new Date())).toBeUndefined();
      expect(edited(update.link, { title: null }, LATER)!.link).toMatchObject({ title: null, note: edit.note });
    }
  });

  test('of a revoked link leaves the revocation as its last change', () => {
    const current = revokedLink();
    expect(edited(current, edit, new Date())).toEqual({ link: { ...current, ...edit } });
  });

  test('is erased with the account', () => {
    const { link } = edited(active(), edit, LATER)!;
    expect(erased(link, LATER)!.link).toMatchObject({ title: null, note: null, tags: [] });
  });
});

describe('an end', () => {
  const END = new Date('2026-12-01T00:00:00.000Z');
  const [before, after] = [-1, 1].map((ms) => new Date(END.getTime() + ms)) as [Date, Date];
  const ending = (status: 'active' | 'flagged' = 'active') =>
    created({ ...NEW, threatType: status === 'active' ? null : 'spam', endsAt: END }, BORN).link;

  test.each(['active', 'flagged'] as const)('revokes the %s link at exactly its time, and says why', (status) => {
    const current = ending(status);
    expect(ended(current, before)).toBeUndefined();
    for (const now of [END, after]) {
      const { link, event } = ended(current, now)!;
      const revocation = { status: 'revoked', threatType: null, takeDownReason: null, revokedAt: END, updatedAt: END };
      expect(link).toEqual({ ...current, ...revocation, version: 2 });
      expect(event).toMatchObject({ type: 'link.revoked', cause: 'ended', at: END.toISOString(), version: 2 });
      expect(ended(link, after)).toBeUndefined();
    }
    expect(ended(active(), after)).toBeUndefined();
  });

  test('stops visitors by the clock, before anybody has stored it', () => {
    for (const status of ['active', 'flagged'] as const) {
      const record = redirectRecord(ending(status));
      expect(recordAt(record, before.getTime())).toBe(record);
      expect(recordAt(record, END.getTime())).toEqual({
        ...record,
        status: 'revoked',
        threatType: null,
        revokedAt: END.toISOString(),
      });
    }
    const record = redirectRecord(active());
    expect(record).not.toHaveProperty('endsAt');
    expect(recordAt(record, Number.MAX_SAFE_INTEGER)).toBe(record);
  });

  test('makes every later change one of a revoked link, and an earlier revoke is an ordinary one', () => {
    const current = ending();
    expect(codeOf(() => revoked(current, END))).toBe('link_already_revoked');
    expect(codeOf(() => takenDown(current, { threatType: 'spam', reason: 'x' }, END))).toBe('link_already_revoked');
    expect(flagged(current, FOUND, END)).toBeUndefined();
    expect(edited(current, { title: 'x' }, END)!.link.updatedAt).toEqual(BORN);
    const { link, event } = revoked(current, before);
    expect(link).toMatchObject({ revokedAt: before, updatedAt: before, endsAt: END });
    expect(event).not.toHaveProperty('cause');
    expect(ended(link, after)).toBeUndefined();
  });

  test('can be moved and removed until then, which visitors see', () => {
    const { link: moved, event } = edited(ending(), { endsAt: after }, before)!;
    expect(event).toMatchObject({ type: 'link.edited', status: 'active', at: before.toISOString(), version: 2 });
    expect(moved).toMatchObject({ endsAt: after, updatedAt: before, version: 2 });
    expect(ended(moved, END)).toBeUndefined();
    expect(edited(moved, { endsAt: null }, END)!.link).toMatchObject({ endsAt: null, version: 3 });
    expect(edited(moved, { endsAt: after }, END)).toBeUndefined();
    for (const [current, endsAt, now] of [
      [moved, LATER, END],
      [moved, END, END],
      [moved, null, after],
      [revokedLink(), END, LATER],
      [revokedLink(), null, LATER],
    ] as const)
      expect(codeOf(() => edited(current, { endsAt }, now))).toBe('validation_failed');
  });

  test('is at most ten years ahead, also from a leap day', () => {
    for (const [now, last] of [
      ['2026-11-27T10:00:00.000Z', '2036-11-27T10:00:00.000Z'],
      ['2028-02-29T00:00:00.000Z', '2038-03-01T00:00:00.000Z'],
    ].map((pair) => pair.map((text) => new Date(text))) as [Date, Date][]) {
      expect(endProblem(last, now)).toBeUndefined();
      expect(endProblem(new Date(last.getTime() + 1), now)).toMatch('10 years');
      expect(endProblem(now, now)).toMatch('future');
    }
  });
});
