/** Names of options whose values must not be stored. */
export const SECRET_NAMES: readonly string[] = `
  authorization auth credentials passwd pass passphrase privateKey accessKey cookie bearer jwt dsn connectionString
  headers password dbPassword DB_PASSWORD pwd secret clientSecret apiKey api_key API-KEY apikey token authToken
  accessToken refresh_token idToken webhook webhookUrl cookies credential creds proxyAuthorization basicAuth oauth
  private_key PRIVATE_KEY sshKey signingKey encryptionKey accountKey awsSecretAccessKey subscription-key sas
  passcode hmac otp sessionToken x-api-key databasePwd userPass gpgPassphrase
  openaiKey WANDB_KEY hfKey psk githubPat csrf
`
  .trim()
  .split(/\s+/);

/** Texts that must not be stored, whatever the name of their option: each holds "hush". */
export const SECRET_TEXTS: readonly string[] = [
  'https://user:hush@x.example/path',
  'postgres://user:hush@db.example/runs',
  'https://hush@sentry.example/1',
  'https://store.example/blob?sv=1&sig=hush',
  'https://maps.example/?key=hush',
  'https://x.example/data?a=1&access_token=hush',
  'https://s3.example/x?X-Amz-Credential=hush&X-Amz-Date=1',
  'https://s3.example/x?X-Amz-Signature=hush',
  'https://x.example/?api_key=hush',
  'https://hooks.slack.com/services/T0/B0/hush',
  'https://discord.com/api/webhooks/1/hush',
  'https://api.telegram.org/bot123456:hush-hush/sendMessage',
  'https://x.example/?user=me&pw=hush',
  'https://fn.example/train?code=hush',
  'jdbc:postgresql://db.example/runs?user=me&password=hush',
  'the data is at https://user:hush@x.example/data.csv',
  'a copy of https://store.example/blob?sv=1&sig=hush, cut to 100 rows',
  'Bearer hush-hush-hush',
  'Authorization: Basic aHVzaDpodXNo',
  'Cookie: session=hush',
  'Server=db;User Id=me;Password=hush;',
  'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=hush==',
  '-----BEGIN RSA PRIVATE KEY-----\nhush',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJodXNoIn0.hush',
  `ghp_${'hush'.repeat(9)}`,
  `sk-${'hush'.repeat(9)}`,
  `hf_${'hush'.repeat(8)}`,
  'AKIAHUSHHUSHHUSHHUSH',
  `GOCSPX-${'hush'.repeat(7)}`,
  `ya29.${'hush'.repeat(9)}`,
  `whsec_${'hush'.repeat(8)}`,
  `xapp-1-A0-${'hush'.repeat(8)}`,
  `SG.${'hush'.repeat(5)}.${'hush'.repeat(10)}`,
];
