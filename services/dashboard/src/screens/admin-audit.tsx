import { type AuditEntry, waypost } from '../api.ts';
import { useAsked } from '../asked.ts';
import { asMoment } from '../language.ts';
import { Older } from '../older.tsx';
import { Badge, Foreign, Head, onForm, textIn } from '../parts.tsx';
import { named, words } from '../words.ts';

const PAGE_SIZE = 50;
const said = words.admin.audit;

const ASKED = [
  ['actor', said.actorFilter],
  ['subject', said.subjectFilter],
] as const;

const isAction = (text: string): text is AuditEntry['action'] => Object.hasOwn(said.actions, text);

export function Audit() {
  const [asked, ask] = useAsked();
  const [actor, subject, action] = [asked('actor'), asked('subject'), asked('action')];
  return (
    <>
      <Head title={said.title} />
      <search className="filters">
        <form
          className="filters"
          key={`${actor} ${subject}`}
          onSubmit={onForm((form) =>
            ask({ actor: textIn(form, 'actor').trim(), subject: textIn(form, 'subject').trim() }),
          )}
        >
          {ASKED.map(([name, label]) => (
            <input
              key={name}
              className="in filter"
              name={name}
              defaultValue={asked(name)}
              aria-label={label}
              placeholder={label}
              autoComplete="off"
            />
          ))}
          <button type="submit" className="btn">
            {said.filter}
          </button>
        </form>
        <select
          className="in sort"
          aria-label={said.action}
          value={isAction(action) ? action : ''}
          onChange={(event) => ask({ action: event.currentTarget.value })}
        >
          <option value="">{said.anyAction}</option>
          {Object.entries(said.actions).map(([each, name]) => (
            <option key={each} value={each}>
              {name}
            </option>
          ))}
        </select>
      </search>
      <div className="card">
        <Older
          queryKey={['audit', { actor, subject, action }]}
          ask={(before, signal) =>
            waypost.admin.audit(
              {
                limit: PAGE_SIZE,
                before,
                actor: actor === '' ? undefined : actor,
                subject: subject === '' ? undefined : subject,
                action: isAction(action) ? action : undefined,
              },
              { signal },
            )
          }
          empty={words.links.nothing}
        >
          {(shown) => (
            <table className="tbl flat">
              <caption className="sr">{said.title}</caption>
              <thead>
                <tr>
                  <th className="w-at">{said.at}</th>
                  <th>{said.actor}</th>
                  <th>{said.action}</th>
                  <th>{said.subject}</th>
                  <th>{said.detail}</th>
                </tr>
              </thead>
              <tbody>
                {shown.map((entry) => (
                  <Entry key={entry.id} entry={entry} />
                ))}
              </tbody>
            </table>
          )}
        </Older>
      </div>
    </>
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
        {via !== actor && <span className="hint below">{named(said.vias, via)}</span>}
      </td>
      <td>
        <b>{named(said.actions, action)}</b>
        {outcome === 'refused' && (
          <span className="below">
            <Badge look="revoked">{said.refused}</Badge>
          </span>
        )}
      </td>
      <td>
        <Foreign>{subject}</Foreign>
        {account !== null && account !== subject && (
          <span className="hint below">
            <Foreign>{account}</Foreign>
          </span>
        )}
      </td>
      <td>
        <Foreign>{detail}</Foreign>
      </td>
    </tr>
  );
}
