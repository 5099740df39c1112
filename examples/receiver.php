<?php
// WEBHOOK_SECRET=whsec_... php -S 127.0.0.1:4000 receiver.php

/** $body is the body as it arrived, before any parsing: JSON that was parsed and written again has other bytes. */
function isFromCatalog(string $body): bool
{
    $key = base64_decode(preg_replace('/^whsec_/', '', getenv('WEBHOOK_SECRET')));
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $sentAt = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    // An old call may be a copy that an attacker sends again.
    if (!ctype_digit($sentAt) || abs(time() - (int) $sentAt) >= 300) {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sentAt.$body", $key, true));
    // There are two signatures for a while after the secret was replaced.
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}

$body = file_get_contents('php://input');
if (!isFromCatalog($body)) {
    http_response_code(401);
    exit;
}
// Answer within ten seconds: there is one attempt. Put long work into a queue.
http_response_code(204);
$event = json_decode($body, true);
error_log($_SERVER['HTTP_WEBHOOK_ID'] . ' ' . $event['event']);
