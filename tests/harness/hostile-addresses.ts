// Addresses that the service must never connect to, in every spelling that is known to get past a check.

/** Hosts that lead to this machine or its network, as a URL may spell them. */
export const PRIVATE_HOSTS: readonly string[] = [
  // Loopback
  ...['127.0.0.1', '127.1', '127.0.1', '127.000.000.001', '127.0.0.1.', '127.255.255.254', '127.127.127.127'],
  ...['2130706433', '0x7f000001', '0x7F.0.0.1', '0x7f.1', '0177.0.0.1', '0177.1', '017700000001', '0x7f.0x0.0x0.0x1'],
  // "This network", which most systems connect to themselves
  ...['0', '0.0.0.0', '0x0', '00', '0.1.2.3', '000.000.000.000'],
  // Private networks
  ...['10.0.0.1', '10.255.255.255', '10.1', '167772161', '0xa000001', '012.0.0.1'],
  ...['172.16.0.1', '172.31.255.255', '0xac100001', '192.168.0.1', '192.168.1.254', '3232235521', '0xc0a80001'],
  ...['0300.0250.0.1', '192.168.257', '100.64.0.1', '100.127.255.255'],
  // Metadata services of clouds
  ...['169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518', '169.254.170.2'],
  ...['100.100.100.200', '192.0.0.192', '168.63.129.16', '[fd00:ec2::254]', '[fd20:ce::254]'],
  // Reserved ranges
  ...['192.0.0.1', '192.0.2.1', '192.88.99.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1'],
  ...['224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255', '4294967295', '0xffffffff'],
  // Other digits and dots
  ...['①②⑦.⓪.⓪.①', '１２７.０.０.１', '127。0。0。1', '127．0．0．1', '127｡0｡0｡1', '𝟏𝟐𝟕.𝟎.𝟎.𝟏', '¹²⁷.⁰.⁰.¹'],
  ...['⑯⑨。②⑤④。⑯⑨。②⑤④', '%31%32%37.0.0.1', '127%2e0%2e0%2e1', '127.0.0.1%2e', '127.0.\u00ad0.1', '0ｘ7f.1'],
  // IPv6
  ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '[::0.0.0.1]', '[::2]'],
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:7f00:0001]', '[::ffff:0:127.0.0.1]', '[::127.0.0.1]'],
  ...['[::7f00:1]', '[::ffff:10.0.0.1]', '[::ffff:a9fe:a9fe]', '[::FFFF:169.254.169.254]', '[::ffff:0.0.0.0]'],
  ...['[64:ff9b::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b::a00:1]', '[64:ff9b:1::7f00:1]'],
  ...['[2002:7f00:1::]', '[2002:a00:1::]', '[2002:c0a8:101::1]', '[2002:a9fe:a9fe::1]'],
  ...['[2001::1]', '[2001:0:7f00:1::]', '[2001:0:4136:e378:8000:63bf:80ff:fffe]'],
  ...[
    '[fc00::1]',
    '[fd00::1]',
    '[fd12:3456:789a::1]',
    '[fe80::1]',
    '[febf::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[ff05::1:3]',
  ],
  ...[
    '[100::1]',
    '[2001:db8::1]',
    '[3fff::1]',
    '[5f00::1]',
    '[2001:2::1]',
    '[2001:10::1]',
    '[2001:20::1]',
    '[4000::1]',
  ],
  ...['[fe80::1%25eth0]', '[fe80::1%eth0]', '[::1%25lo]', '[::1%lo]', '[::ffff:127.1]', '[::ffff:0x7f.1]'],
  // Names that always lead to this machine or its network
  ...['localhost', 'LOCALHOST', 'localhost.', 'localhost..', 'any.localhost', 'localhost.localdomain', 'ip6-localhost'],
  ...['metadata', 'metadata.google.internal', 'metadata.google.internal.', 'instance-data', 'host.docker.internal'],
  ...['kubernetes.default.svc.cluster.local', 'db', 'redis', 'router.lan', 'wiki.corp', 'nas.home', 'tv.home.arpa'],
  ...[
    'intranet',
    'share.intranet',
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
    'ｌｏｃａｌｈｏｓｔ',
    'local\u00adhost',
    'loc%61lhost',
    'a..b',
    '..localhost',
  ],
]

/** Whole URLs that are refused for their form, not only for their host. */
export const HOSTILE_URLS: readonly string[] = [
  // Credentials, also where they disguise the host
  ...['http://user:pass@example.com/', 'https://user@example.com/', 'https://:pass@example.com/'],
  ...['http://example.com@127.0.0.1/', 'http://127.0.0.1@example.com/', 'http://example.com:80@127.0.0.1:22/'],
  ...['http://foo@127.0.0.1:80@example.com/', 'http://example.com%40@127.0.0.1/', 'http://example.com%00@127.0.0.1/'],
  ...['http://127.0.0.1#@example.com/', 'http://127.0.0.1?@example.com/', 'http://127.0.0.1/@example.com'],
  // Backslashes, missing and surplus slashes, line breaks
  ...[
    'http://example.com\\@127.0.0.1/',
    'http://127.0.0.1\\@example.com/',
    'https:\\\\127.0.0.1\\',
    'http:\\127.0.0.1',
  ],
  ...['http:/127.0.0.1/', 'http:127.0.0.1', 'http:///127.0.0.1/', 'http:////127.0.0.1/', '//127.0.0.1/', '127.0.0.1'],
  ...['ht\ntp://127.0.0.1/', 'http://127.0.\t0.1/', 'http://127.0.0.1\r\n.example.com/', 'http://example.com\n/'],
  ...['http://example.com\u0000/', 'http://', 'http://:80/', 'http://?', '', ' ', 'http://127.0.0.1:99999/'],
  // Other schemes
  ...[
    'file:///etc/passwd',
    'ftp://127.0.0.1/',
    'gopher://127.0.0.1:6379/_INFO',
    'data:text/plain,hi',
    'dict://127.0.0.1:11211/',
  ],
  ...['javascript:alert(1)', 'ws://127.0.0.1/', 'unix:/var/run/docker.sock', 'blob:http://127.0.0.1/1', 'about:blank'],
]

/** Public hosts on ports where no website is. */
export const WRONG_PORTS: readonly string[] = [
  22, 25, 53, 81, 8080, 8443, 2375, 3306, 5432, 6379, 9200, 11211, 65535,
].flatMap((port) => [
  `https://93.184.215.14:${port}/`,
  `http://93.184.215.14:${port}/`,
  `https://[2606:2800:21f:cb07::1]:${port}/`,
])

/** Answers of a name server that make a public name lead to this machine or its network. */
export const PRIVATE_ANSWERS: readonly string[] = [
  ...['127.0.0.1', '127.0.0.53', '0.0.0.0', '10.0.0.1', '172.17.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1'],
  ...['168.63.129.16', '192.0.2.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
  ...[
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::a9fe:a9fe',
  ],
  ...[
    '2002:7f00:1::',
    '2001:0:4136:e378:8000:63bf:80ff:fffe',
    'fd00::2',
    'fe80::1',
    'fe80::1%eth0',
    'ff02::1',
    '2001:db8::1',
  ],
  ...['not an address', ''],
]
