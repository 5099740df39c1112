-- 0047 stored refusals of websites of which a product was accepted afterwards.
DELETE FROM "refused_websites" USING "founder_products" WHERE "founder_products"."website_key" = "refused_websites"."website_key" AND "founder_products"."state" = 'accepted' AND "founder_products"."decided_at" > "refused_websites"."refused_at";
