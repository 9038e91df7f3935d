import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiKeyList, api, type CreatedApiKey } from '../api.ts';
import { CopyButton, CopyIcon, Dialog, ErrorNote, Field, LoadError, Skeleton, Title, textIn, When } from '../parts.tsx';
import { words } from '../words.ts';

type Key = ApiKeyList['data'][number];
type Open = { readonly making: true } | { readonly made: CreatedApiKey } | { readonly deleting: Key } | undefined;

export function Keys() {
  const queries = useQueryClient();
  const keys = useQuery({ queryKey: ['keys'], queryFn: api.keys });
  const [open, setOpen] = useState<Open>();
  const changed = () => queries.invalidateQueries({ queryKey: ['keys'] });
  const close = () => setOpen(undefined);
  const data = keys.data?.data ?? [];
  const limit = keys.data?.limit ?? 0;
  const full = keys.data !== undefined && data.length >= limit;
  return (
    <>
      <div className="head">
        <Title>{words.keys.title}</Title>
        {full && <span className="hint">{words.keys.full(limit)}</span>}
        <button
          type="button"
          className="btn primary"
          aria-disabled={full}
          onClick={() => !full && setOpen({ making: true })}
        >
          {words.keys.create}
        </button>
      </div>
      {keys.data !== undefined && <p className="hint">{words.keys.lead(data.length, limit)}</p>}
      <div className="card lead-p">
        {keys.error && keys.data === undefined ? (
          <LoadError error={keys.error} retry={() => keys.refetch()} />
        ) : keys.data === undefined ? (
          <Skeleton rows={3} />
        ) : data.length === 0 ? (
          <div className="empty">
            <h2>{words.keys.none}</h2>
            <p>{words.keys.noneHow}</p>
          </div>
        ) : (
          <Table keys={data} onDelete={(deleting) => setOpen({ deleting })} />
        )}
      </div>
      <p className="hint lead-p">{words.keys.after}</p>
      {open !== undefined && 'making' in open && (
        <MakeKey
          onClose={close}
          onMade={(made) => {
            setOpen({ made });
            void changed();
          }}
        />
      )}
      {open !== undefined && 'made' in open && <NewKey made={open.made} onClose={close} />}
      {open !== undefined && 'deleting' in open && (
        <DeleteKey
          which={open.deleting}
          onClose={close}
          onDeleted={() => {
            close();
            void changed();
          }}
        />
      )}
    </>
  );
}

function Table({ keys, onDelete }: { keys: readonly Key[]; onDelete: (key: Key) => void }) {
  return (
    <table className="tbl">
      <caption className="sr">{words.keys.title}</caption>
      <thead>
        <tr>
          <th>{words.keys.name}</th>
          <th className="k-key">{words.keys.key}</th>
          <th className="k-sc">{words.keys.scopes}</th>
          <th className="k-used">{words.keys.used}</th>
          <th className="c-when k-made">{words.keys.made}</th>
          <th className="c-act">
            <span className="sr">{words.links.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <td className="cut">
              <b>
                <bdi>{key.name}</bdi>
              </b>
            </td>
            <td className="k-key">
              <code>{key.hint}…</code>
            </td>
            <td className="k-sc">
              <span className="tags">
                {key.scopes.map((scope) => (
                  <span className="tag" key={scope}>
                    {scope}
                  </span>
                ))}
              </span>
            </td>
            <td className="k-used when">
              {key.last_used_at === null ? words.keys.never : <When at={key.last_used_at} />}
            </td>
            <td className="c-when k-made when">
              <When at={key.created_at} />
            </td>
            <td className="c-act">
              <button
                type="button"
                className="btn quiet danger"
                aria-label={words.keys.deleteFor(key.name)}
                onClick={() => onDelete(key)}
              >
                {words.keys.delete}
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const SCOPES = ['read', 'write', 'admin'] as const;

function MakeKey({ onClose, onMade }: { onClose: () => void; onMade: (made: CreatedApiKey) => void }) {
  const [scopes, setScopes] = useState<readonly (typeof SCOPES)[number][]>(['read', 'write']);
  const make = useMutation({
    mutationFn: (form: HTMLFormElement) => api.createKey({ name: textIn(form, 'name'), scopes }),
    onSuccess: onMade,
  });
  // `admin` includes everything and stands alone.
  const toggle = (scope: (typeof SCOPES)[number], on: boolean) =>
    setScopes(!on ? scopes.filter((each) => each !== scope) : scope === 'admin' ? ['admin'] : [...scopes, scope]);
  return (
    <Dialog
      title={words.keys.create}
      onClose={onClose}
      foot={
        <>
          <button type="button" className="btn" onClick={onClose}>
            {words.cancel}
          </button>
          <button type="submit" form="make-key" className="btn primary" aria-disabled={make.isPending}>
            {words.keys.create}
          </button>
        </>
      }
    >
      <form
        id="make-key"
        className="field"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate(event.currentTarget);
        }}
      >
        <Field name="name" label={words.keys.name} error={make.error} autoFocus />
        <fieldset className="field">
          <legend className="lbl">{words.keys.scopes}</legend>
          {SCOPES.map((scope) => (
            <label className="check" key={scope}>
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                disabled={scope !== 'admin' && scopes.includes('admin')}
                onChange={(event) => toggle(scope, event.currentTarget.checked)}
              />
              <span>{words.keys.scope[scope]}</span>
            </label>
          ))}
        </fieldset>
        <ErrorNote error={make.error} fields={['name']} />
      </form>
    </Dialog>
  );
}

const SNIPPETS = {
  curl: (base: string) => `export WAYPOST_API_KEY="…"   # paste the key here
curl -X POST ${base}/api/v1/links \\
  -H "Authorization: Bearer $WAYPOST_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"destination_url": "https://example.com/hello"}'`,
  CLI: (base: string) => `export WAYPOST_API_KEY="…"
export WAYPOST_URL="${base}"
npm run -s waypost -- create https://example.com/hello`,
  TypeScript: (base: string) => `// npm install @waypost/sdk
import { Waypost } from "@waypost/sdk";

const waypost = new Waypost({ url: "${base}", apiKey: process.env.WAYPOST_API_KEY });
const { short_url } = await waypost.create({ destination_url: "https://example.com/hello" });
console.log(short_url);`,
  MCP: (base: string) => `claude mcp add --transport http waypost ${base}/mcp \\
  --header "Authorization: Bearer $WAYPOST_API_KEY"

# or in the settings of another client:
{ "mcpServers": { "waypost": { "type": "http", "url": "${base}/mcp",
  "headers": { "Authorization": "Bearer …" } } } }`,
} as const;
const LANGUAGES = ['curl', 'CLI', 'MCP', 'TypeScript'] as const;

/** The key is in this state and nowhere else; Esc does not lose it. */
function NewKey({ made, onClose }: { made: CreatedApiKey; onClose: () => void }) {
  const [stored, setStored] = useState(false);
  const [language, setLanguage] = useState<(typeof LANGUAGES)[number]>('curl');
  const snippet = SNIPPETS[language](location.origin);
  return (
    <Dialog
      title={words.keys.once}
      onClose={stored ? onClose : undefined}
      foot={
        <>
          <label className="check grow">
            <input type="checkbox" checked={stored} onChange={(event) => setStored(event.currentTarget.checked)} />
            <span>{words.keys.stored}</span>
          </label>
          <button type="button" className="btn primary" aria-disabled={!stored} onClick={() => stored && onClose()}>
            {words.keys.done}
          </button>
        </>
      }
    >
      <p>{words.keys.onceWhy}</p>
      <div className="secret">
        <code>{made.key}</code>
        <CopyButton text={made.key} label={words.keys.copy} said={words.keys.copied} />
      </div>
      <fieldset className="seg start" aria-label={words.keys.tryWith}>
        {LANGUAGES.map((each) => (
          <button type="button" key={each} aria-pressed={each === language} onClick={() => setLanguage(each)}>
            {each}
          </button>
        ))}
      </fieldset>
      <div className="snippet">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
        <pre tabIndex={0}>{snippet}</pre>
        <CopyIcon text={snippet} what={language} />
      </div>
    </Dialog>
  );
}

function DeleteKey({ which, onClose, onDeleted }: { which: Key; onClose: () => void; onDeleted: () => void }) {
  const remove = useMutation({ mutationFn: () => api.deleteKey(which.id), onSuccess: onDeleted });
  return (
    <Dialog
      title={words.keys.deleteTitle(which.name)}
      onClose={onClose}
      foot={
        <>
          <button type="button" className="btn" onClick={onClose}>
            {words.keys.keep}
          </button>
          <button type="button" className="btn danger-solid" onClick={() => remove.mutate()}>
            {words.keys.deleteAct}
          </button>
        </>
      }
    >
      <p>{words.keys.deleteWhy}</p>
      <ErrorNote error={remove.error} />
    </Dialog>
  );
}
