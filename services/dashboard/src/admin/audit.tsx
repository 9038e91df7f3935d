import { type AuditEntry, waypost } from '../api.ts';
import { Badge, Foreign, Head, InfiniteList, Options, onForm, Table, textIn } from '../components/index.ts';
import { orNone, useUrlState } from '../hooks/url-state.ts';
import { asMoment } from '../language.ts';
import { labelOf, words } from '../words.ts';

const PAGE_SIZE = 50;
const t = words.admin.audit;

const FILTERS = [
  ['actor', t.actorFilter],
  ['subject', t.subjectFilter],
] as const;

const isAction = (text: string): text is AuditEntry['action'] => Object.hasOwn(t.actions, text);

export function Audit() {
  const [param] = useUrlState();
  const [actor, subject, action] = [param('actor'), param('subject'), param('action')];
  return (
    <>
      <Head title={t.title} />
      <Filters key={`${actor} ${subject}`} />
      <div className="card">
        <InfiniteList
          queryKey={['audit', { actor, subject, action }]}
          read={(before, signal) =>
            waypost.admin.audit(
              {
                limit: PAGE_SIZE,
                before,
                actor: orNone(actor),
                subject: orNone(subject),
                action: isAction(action) ? action : undefined,
              },
              { signal },
            )
          }
          empty={words.links.nothing}
        >
          {(entries) => (
            <Table caption={t.title} heads={[[t.at, 'w-at'], [t.actor], [t.action], [t.subject], [t.detail]]}>
              {entries.map((entry) => (
                <Entry key={entry.id} entry={entry} />
              ))}
            </Table>
          )}
        </InfiniteList>
      </div>
    </>
  );
}

function Filters() {
  const [param, setParams] = useUrlState();
  const filter = (form: HTMLFormElement) =>
    setParams({ actor: textIn(form, 'actor').trim(), subject: textIn(form, 'subject').trim() });
  return (
    <search className="filters">
      <form className="filters" onSubmit={onForm(filter)}>
        {FILTERS.map(([name, label]) => (
          <input
            key={name}
            className="in filter"
            name={name}
            defaultValue={param(name)}
            aria-label={label}
            placeholder={label}
            autoComplete="off"
          />
        ))}
        <button type="submit" className="btn">
          {t.filter}
        </button>
      </form>
      <select
        className="in sort"
        aria-label={t.action}
        value={isAction(param('action')) ? param('action') : ''}
        onChange={(event) => setParams({ action: event.currentTarget.value })}
      >
        <Options of={[['', t.anyAction], ...Object.entries(t.actions)]} />
      </select>
    </search>
  );
}

function Entry({ entry: { at, actor, via, action, subject, account, outcome, detail } }: { entry: AuditEntry }) {
  return (
    <tr>
      <td className="w-at when">
        <time dateTime={at}>{asMoment(at)}</time>
      </td>
      <td>
        <Foreign>{actor}</Foreign>
        {via !== actor && <span className="hint below">{labelOf(t.vias, via)}</span>}
      </td>
      <td>
        <b>{labelOf(t.actions, action)}</b>
        {outcome === 'refused' && (
          <span className="below">
            <Badge status="revoked">{t.refused}</Badge>
          </span>
        )}
      </td>
      <td>
        <Foreign>{subject}</Foreign>
        {account !== null && account !== subject && <Foreign variant="hint below">{account}</Foreign>}
      </td>
      <td>
        <Foreign>{detail}</Foreign>
      </td>
    </tr>
  );
}
