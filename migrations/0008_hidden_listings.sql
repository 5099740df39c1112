ALTER TABLE "tags" ADD COLUMN "submitted" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- Made by a submission, as far as that can be told: every listing that has the tag was made by one, and no operator ever wrote it. A tag
-- that no listing has counts as an operator's, who can delete it.
UPDATE "tags" SET "submitted" = true
WHERE EXISTS (SELECT 1 FROM "tools" WHERE "tools"."tags" @> ARRAY["tags"."slug"])
  AND NOT EXISTS (
    SELECT 1 FROM "tools" WHERE "tools"."tags" @> ARRAY["tags"."slug"] AND NOT EXISTS (
      SELECT 1 FROM "submissions" WHERE "submissions"."tool_id" = "tools"."id"
        AND "submissions"."created_at" BETWEEN "tools"."created_at" - interval '1 minute' AND "tools"."created_at" + interval '1 minute'))
  AND NOT EXISTS (SELECT 1 FROM "audit" WHERE "audit"."subject" = 'tag:' || "tags"."slug");--> statement-breakpoint
ALTER TABLE "tools" ADD COLUMN "hidden_reason" text;--> statement-breakpoint
-- Submissions are made for published listings alone, so an unpublished one that has any was unpublished by an administrator.
UPDATE "tools" SET "hidden_reason" = CASE
  WHEN EXISTS (SELECT 1 FROM "submissions" WHERE "submissions"."tool_id" = "tools"."id")
    OR EXISTS (SELECT 1 FROM "audit" WHERE "audit"."subject" = 'tool:' || "tools"."slug"
      AND (("audit"."action" = 'tool.change' AND "audit"."details" ->> 'published' = 'false')
        OR ("audit"."action" = 'tool.put' AND "audit"."details" -> 'changed' @> '["published"]')))
  THEN 'taken-down' ELSE 'draft' END
WHERE NOT "published";--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "slug" text;--> statement-breakpoint
UPDATE "submissions" SET "slug" = (SELECT "slug" FROM "tools" WHERE "tools"."id" = "submissions"."tool_id");--> statement-breakpoint
ALTER TABLE "submissions" ALTER COLUMN "slug" SET NOT NULL;--> statement-breakpoint
CREATE INDEX "tools_hidden_reason" ON "tools" USING btree ("hidden_reason","created_at") WHERE "tools"."hidden_reason" is not null;--> statement-breakpoint
CREATE INDEX "tools_taken_down_host" ON "tools" USING btree (substring("website_key" from '^(\[[^]]*\]|[^/:]*)')) WHERE "tools"."hidden_reason" = 'taken-down';--> statement-breakpoint
CREATE INDEX "submissions_partner_slug" ON "submissions" USING btree ("partner_id","slug");
