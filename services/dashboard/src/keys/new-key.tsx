import { useState } from 'react';
import type { CreatedApiKey } from '../api.ts';
import { CopyIcon, Segments, ShownOnce } from '../components/index.ts';
import { words } from '../words.ts';

const t = words.keys;

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

export function NewKey({ created, onClose }: { created: CreatedApiKey; onClose: () => void }) {
  const [language, setLanguage] = useState<(typeof LANGUAGES)[number]>('curl');
  const snippet = SNIPPETS[language](location.origin);
  return (
    <ShownOnce
      title={t.once}
      why={t.onceWhy}
      secret={created.key}
      copied={t.copied}
      stored={t.stored}
      onClose={onClose}
    >
      <Segments
        label={t.tryWith}
        variant="start"
        options={LANGUAGES.map((each) => [each, each])}
        value={language}
        onChange={setLanguage}
      />
      <div className="snippet">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the element scrolls */}
        <pre tabIndex={0}>{snippet}</pre>
        <CopyIcon text={snippet} what={language} />
      </div>
    </ShownOnce>
  );
}
