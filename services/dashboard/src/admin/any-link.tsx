import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { type InspectedLink, once, waypost } from '../api.ts';
import {
  Button,
  Choice,
  Destination,
  DetailHead,
  Dialog,
  Fact,
  Field,
  Foreign,
  Head,
  Loaded,
  NotThere,
  onForm,
  Status,
  shortUrl,
  textIn,
} from '../components/index.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import { asMoment } from '../language.ts';
import type { LinkDialogProps } from '../links/revoke-dialog.tsx';
import { Verdicts } from '../links/verdicts.tsx';
import screens from '../screens.json' with { type: 'json' };
import { fill, threat, words } from '../words.ts';
import { ReasonDialog, ThreatChoice, takeDownIn } from './reason-dialog.tsx';

const t = words.admin.link;

/** Accepts a slug or a whole URL, because reports of abuse contain both. */
const slugIn = (text: string) => text.trim().split('/').at(-1)?.split(/[?#+]/)[0] ?? '';

export function FindLink() {
  const [, go] = useLocation();
  return (
    <>
      <Head title={t.title} />
      <form
        className="card pad narrow-field field"
        onSubmit={onForm((form) => {
          const slug = slugIn(textIn(form, 'slug'));
          if (slug !== '') go(screens.anyLink.replace(':slug', encodeURIComponent(slug)));
        })}
      >
        <Field name="slug" label={t.find} hint={t.findHint} />
        <button className="btn primary start" type="submit">
          {t.show}
        </button>
      </form>
    </>
  );
}

export function AnyLink({ slug, base }: { slug: string; base: string }) {
  const [open, setOpen] = useState<'take-down' | 'take-down-host' | 'review'>();
  const inspected = useQuery({
    queryKey: ['any-link', slug],
    queryFn: ({ signal }) => waypost.admin.link(slug, { signal }),
  });
  if (inspected.data === undefined)
    return (
      <NotThere query={inspected} missing={t.missing}>
        <Link href={screens.anyLinks}>{t.another}</Link>
      </NotThere>
    );
  const { status } = inspected.data.link;
  const short = shortUrl(base, slug);
  const dialog = { slug, short, onClose: () => setOpen(undefined) };
  return (
    <>
      <DetailHead
        list={t.title}
        href={screens.anyLinks}
        name={slug}
        title={short}
        actions={
          <>
            {status === 'flagged' && <Button onClick={() => setOpen('review')}>{t.review}</Button>}
            {status !== 'revoked' && (
              <Button variant="danger" onClick={() => setOpen('take-down')}>
                {t.takeDown}
              </Button>
            )}
            <Button variant="danger" onClick={() => setOpen('take-down-host')}>
              {t.takeDownHost}
            </Button>
          </>
        }
      >
        <p className="meta">
          <Link href={`${screens.cases}?${new URLSearchParams({ about: slug, state: 'all' })}`}>{t.cases}</Link>
          <Link href={`${screens.audit}?${new URLSearchParams({ subject: slug })}`}>{words.admin.audit.title}</Link>
        </p>
      </DetailHead>
      <section className="card pad">
        <LinkFacts inspected={inspected.data} />
      </section>
      {open === 'take-down' && <TakeDownDialog {...dialog} />}
      {open === 'take-down-host' && <TakeDownHostDialog {...dialog} />}
      {open === 'review' && <ReviewDialog {...dialog} />}
    </>
  );
}

function TakeDownDialog({ slug, short, onClose }: LinkDialogProps) {
  const refresh = useRefresh(['any-link', slug]);
  return (
    <ReasonDialog
      title={fill(t.takeDownTitle, { short })}
      submitLabel={t.takeDownAct}
      hint={t.takeDownHint}
      isFinal
      send={(form) => once.admin.takeDown(slug, takeDownIn(form))}
      onSent={() => void refresh(t.takenDown)}
      onClose={onClose}
    >
      <p>{t.takeDownWhy}</p>
      <ThreatChoice />
    </ReasonDialog>
  );
}

/** Shows first what would be taken down. */
function TakeDownHostDialog({ slug, onClose }: LinkDialogProps) {
  const refresh = useRefresh(['any-link']);
  const preview = useQuery({
    queryKey: ['any-link', slug, 'same-host'],
    queryFn: ({ signal }) => waypost.admin.linksToHost(slug, { signal }),
    gcTime: 0,
  });
  if (preview.data === undefined || preview.data.count === 0)
    return (
      <Dialog title={t.takeDownHost} onClose={onClose} foot={<Button onClick={onClose}>{words.close}</Button>}>
        <Loaded query={preview} rows={3}>
          {() => <p>{t.noneToHost}</p>}
        </Loaded>
      </Dialog>
    );
  const { owner, host, count, links } = preview.data;
  return (
    <ReasonDialog
      title={fill(t.takeDownHostTitle, { count, host })}
      submitLabel={fill(t.takeDownHostAct, { count })}
      hint={t.takeDownHint}
      isFinal
      send={(form) => waypost.admin.takeDownHost(slug, takeDownIn(form))}
      onSent={(taken) => void refresh(fill(t.hostTakenDown, { count: taken }))}
      onClose={onClose}
    >
      <p>
        {t.takeDownHostWhy} <Foreign>{owner}</Foreign>
      </p>
      <ul className="bl">
        {links.map((link) => (
          <li key={link.slug}>
            <bdi>{link.slug}</bdi> <Destination url={link.destination_url} />
          </li>
        ))}
      </ul>
      {count > links.length && <p className="hint">{fill(t.andMore, { count: count - links.length })}</p>}
      <ThreatChoice />
    </ReasonDialog>
  );
}

function ReviewDialog({ slug, short, onClose }: LinkDialogProps) {
  const refresh = useRefresh(['any-link', slug], ['cases']);
  return (
    <ReasonDialog
      title={fill(t.reviewTitle, { short })}
      submitLabel={t.reviewAct}
      hint={t.reviewHint}
      send={(form) =>
        once.admin.review(slug, {
          decision: textIn(form, 'decision') === 'clear' ? 'clear' : 'keep',
          reason: textIn(form, 'reason'),
        })
      }
      onSent={({ status }) => void refresh(status === 'flagged' ? t.kept : t.cleared)}
      onClose={onClose}
    >
      <Choice
        name="decision"
        label={words.admin.cases.decision}
        options={[
          ['keep', t.keep],
          ['clear', t.clear],
        ]}
      />
    </ReasonDialog>
  );
}

export function LinkFacts({ inspected: { link, owner, verdicts } }: { inspected: InspectedLink }) {
  return (
    <dl className="facts">
      <Fact name={words.links.status}>
        <Status status={link.status} />{' '}
        {link.threat_type !== null && fill(words.scan.suspected, { what: threat(link.threat_type) })}
      </Fact>
      <Fact name={words.many.destination}>
        <Destination url={link.destination_url} full />
      </Fact>
      <Fact name={t.owner}>
        <Foreign>{owner}</Foreign>
      </Fact>
      <Fact name={words.links.created}>{asMoment(link.created_at)}</Fact>
      {link.take_down_reason !== null && (
        <Fact name={t.takeDownReason}>
          <Foreign>{link.take_down_reason}</Foreign>
        </Fact>
      )}
      <Fact name={t.verdicts}>{verdicts.length === 0 ? t.noVerdicts : <Verdicts verdicts={verdicts} />}</Fact>
    </dl>
  );
}
