{{/* Every helper takes (dict "root" $ "component" "link-api"). */}}
{{- define "waypost.name" -}}
{{ printf "%s-%s" (.root.Values.fullnameOverride | default .root.Release.Name) .component | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "waypost.selector" -}}
app.kubernetes.io/name: waypost
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "waypost.labels" -}}
{{ include "waypost.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "waypost.image" -}}
{{- $own := include "waypost.own" . | fromYaml }}
{{- .root.Values.image.registry }}/{{ .component }}:{{ $own.tag | default .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{/* The values of the component itself, as YAML. */}}
{{- define "waypost.own" -}}
{{- $keys := dict "link-api" "linkApi" "analytics-ingest" "analyticsIngest" "all-in-one" "single" }}
{{- index .root.Values (get $keys .component | default .component) | toYaml }}
{{- end }}

{{/* The metadata of a pod, with what the values add. Those of the component come before those of all. */}}
{{- define "waypost.podMetadata" -}}
{{- $own := include "waypost.own" . | fromYaml }}
{{- with $own.podAnnotations | default .root.Values.podAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
labels:
  {{- include "waypost.labels" . | nindent 2 }}
  {{- with $own.podLabels | default .root.Values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* Of all, and of the component. */}}
{{- define "waypost.extraEnv" -}}
{{- $own := include "waypost.own" . | fromYaml }}
{{- with concat (.root.Values.extraEnv | default list) ($own.extraEnv | default list) }}
{{- toYaml . }}
{{- end }}
{{- end }}
{{- define "waypost.extraVolumes" -}}
{{- $own := include "waypost.own" . | fromYaml }}
{{- with concat (.root.Values.extraVolumes | default list) ($own.extraVolumes | default list) }}
{{- toYaml . }}
{{- end }}
{{- end }}
{{- define "waypost.extraVolumeMounts" -}}
{{- $own := include "waypost.own" . | fromYaml }}
{{- with concat (.root.Values.extraVolumeMounts | default list) ($own.extraVolumeMounts | default list) }}
{{- toYaml . }}
{{- end }}
{{- end }}

{{/* For the pod: no privileges, spread over nodes and zones. */}}
{{- define "waypost.pod" -}}
{{- $own := include "waypost.own" . | fromYaml }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.serviceAccount }}
{{- if or .create .name }}
serviceAccountName: {{ include "waypost.serviceAccount" $.root }}
{{- end }}
{{- end }}
{{- range $name := list "nodeSelector" "tolerations" "affinity" }}
{{- with get $own $name | default (index $.root.Values $name) }}
{{ $name }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- with $own.priorityClassName | default .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .root.Values.topologySpread }}
topologySpreadConstraints:
  {{- range . }}
  - topologyKey: {{ .topologyKey }}
    maxSkew: {{ .maxSkew }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "waypost.selector" $ | nindent 8 }}
  {{- end }}
{{- end }}
{{- end }}

{{/* For the container: the restricted profile, and a read-only root file system. */}}
{{- define "waypost.container" -}}
image: {{ include "waypost.image" . }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/*
(dict "internal" port name, "ready" port name, "readyPath" path). A process that waits for its dependencies is alive, and
not ready. The time to start includes the time to wait for them.
*/}}
{{- define "waypost.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: {{ .internal }} }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 150
livenessProbe:
  httpGet: { path: /healthz, port: {{ .internal }} }
  periodSeconds: 10
  timeoutSeconds: 3
  failureThreshold: 3
readinessProbe:
  httpGet: { path: {{ .readyPath | default "/readyz" }}, port: {{ .ready }} }
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
{{- end }}

{{/*
(dict "root" $ "secrets" (dict "SETTING" "key of the existing secret" ...)): each secret is a file, so that no environment shows it.
*/}}
{{- define "waypost.secretFiles" -}}
{{- range $name, $key := .secrets }}
- { name: {{ $name }}_FILE, value: /etc/waypost/secrets/{{ $name }} }
{{- end }}
{{- end }}

{{- define "waypost.secretMounts" -}}
- { name: secrets, mountPath: /etc/waypost/secrets, readOnly: true }
{{- if .root.Values.authorities.configMap }}
- { name: authorities, mountPath: /etc/waypost/authorities, readOnly: true }
{{- end }}
{{- end }}

{{- define "waypost.secretVolumes" -}}
- name: secrets
  secret:
    secretName: {{ .root.Values.existingSecret }}
    defaultMode: 0440
    items:
      {{- range $name, $key := .secrets }}
      - { key: {{ $key }}, path: {{ $name }} }
      {{- end }}
{{- with .root.Values.authorities.configMap }}
- name: authorities
  configMap:
    name: {{ . }}
{{- end }}
{{- end }}

{{- /* (dict "root" $ "user" "waypost_api"): the connection to Kafka, and its user. */}}
{{- define "waypost.kafka" -}}
- { name: KAFKA_BROKERS, value: {{ join "," .root.Values.kafka.brokers | quote }} }
- { name: KAFKA_TLS, value: {{ .root.Values.kafka.tls | quote }} }
- { name: KAFKA_TOPIC_PREFIX, value: {{ .root.Values.kafka.topicPrefix | quote }} }
- { name: KAFKA_SASL_MECHANISM, value: {{ .root.Values.kafka.saslMechanism }} }
{{- if ne .root.Values.kafka.saslMechanism "none" }}
- { name: KAFKA_SASL_USERNAME, value: {{ .user }} }
{{- end }}
{{- with .root.Values.authorities.kafka }}
- { name: KAFKA_CA_FILE, value: /etc/waypost/authorities/{{ . }} }
{{- end }}
{{- end }}

{{- /* (list root "redis" "clickhouse"): the engines' private certificate authorities. */}}
{{- define "waypost.authorities" -}}
{{- $root := first . }}
{{- range rest . }}
{{- $file := index $root.Values.authorities . }}
{{- if $file }}
- { name: {{ upper . }}_CA_FILE, value: /etc/waypost/authorities/{{ $file }} }
{{- end }}
{{- end }}
{{- end }}

{{- /* Logs and traces. */}}
{{- define "waypost.observability" -}}
- { name: LOG_LEVEL, value: {{ .Values.logLevel }} }
{{- with .Values.tracing.endpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ . | quote }} }
- { name: OTEL_TRACES_SAMPLER_ARG, value: {{ $.Values.tracing.share | quote }} }
{{- end }}
{{- end }}

{{- define "waypost.linkApiEnvironment" -}}
- { name: OPERATOR_SOCKET, value: /run/waypost/operator.sock }
- { name: PORT, value: '8080' }
- { name: INTERNAL_PORT, value: '8090' }
- { name: BASE_URL, value: {{ .Values.baseUrl | quote }} }
- { name: REDIRECT_BASE_URL, value: {{ .Values.redirectBaseUrl | quote }} }
- { name: SCANNER_URL, value: 'http://{{ include "waypost.name" (dict "root" . "component" "scanner") }}:8092' }
- { name: CREATIONS_PER_HOUR, value: {{ .Values.linkApi.creationsPerHour | int | quote }} }
- { name: DESTINATION_HOSTS_ALLOWED, value: {{ .Values.linkApi.destinationHostsAllowed | quote }} }
- { name: OWN_HOSTS, value: {{ .Values.linkApi.ownHosts | quote }} }
- { name: WEBHOOK_HOSTS_ALLOWED, value: {{ .Values.linkApi.webhookHostsAllowed | quote }} }
- { name: WEBHOOK_CONCURRENCY, value: {{ .Values.linkApi.webhookConcurrency | int | quote }} }
- { name: TRUSTED_PROXIES, value: {{ .Values.trustedProxies | quote }} }
{{- with .Values.linkApi.oidc }}
{{- if .issuer }}
- { name: OIDC_ISSUER, value: {{ .issuer | quote }} }
- { name: OIDC_CLIENT_ID, value: {{ .clientId | quote }} }
- { name: OIDC_DISPLAY_NAME, value: {{ .displayName | quote }} }
- { name: OIDC_ALLOWED_DOMAINS, value: {{ .allowedDomains | quote }} }
- { name: OIDC_LINK_BY_EMAIL, value: {{ .linkByEmail | quote }} }
{{- end }}
{{- end }}
{{- with .Values.linkApi.mail }}
{{- if .from }}
- { name: MAIL_FROM, value: {{ .from | quote }} }
- { name: MAIL_TO, value: {{ .to | quote }} }
{{- end }}
{{- end }}
{{ include "waypost.observability" . }}
{{ include "waypost.kafka" (dict "root" . "user" "waypost_api") }}
{{- include "waypost.authorities" (list . "redis" "clickhouse") }}
{{- end }}

{{- define "waypost.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (.Values.fullnameOverride | default .Release.Name) }}
{{- end }}

{{- /* (dict "root" $ "component" ... "type" "http"): what a Service gets from `service` of the component. */}}
{{- define "waypost.serviceAnnotations" -}}
{{- $own := include "waypost.own" . | fromYaml }}
{{- with $own.service }}
{{- with .annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The two public addresses, each with the service and the port that answer it, as YAML. */}}
{{- define "waypost.routes" -}}
{{- $one := eq .Values.mode "single" }}
- { component: link-api, service: {{ $one | ternary "all-in-one" "link-api" }}, port: 8080, url: {{ .Values.baseUrl | quote }} }
- { component: redirector, service: {{ $one | ternary "all-in-one" "redirector" }}, port: 8081, url: {{ .Values.redirectBaseUrl | quote }} }
{{- end }}

{{- /* Takes the component, a producer of events: it starts after the consumers of its version (deploy/upgrade.md). */}}
{{- define "waypost.afterConsumers" -}}
initContainers:
  - name: after-consumers
    {{- include "waypost.container" . | nindent 4 }}
    command:
      - node
      - -e
      - |
        {{- .root.Files.Get "files/wait-for-consumers.mjs" | nindent 8 }}
      - {{ include "waypost.name" (dict "root" .root "component" "analytics-ingest") }}:8093
      - {{ include "waypost.name" (dict "root" .root "component" "scanner") }}-pods:8092
    resources:
      requests: { cpu: 50m, memory: 64Mi }
      limits: { memory: 128Mi }
{{- end }}
